"""The part of client set-up that touches files and starts programs; it returns values and raises."""
