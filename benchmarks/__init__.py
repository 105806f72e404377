"""Figures as ratios taken in one run: machines are shared and noisy, ratios survive that."""
