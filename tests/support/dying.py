"""A program that is killed at the n-th call of the system functions it is made of: a moment that can be chosen exactly.

The number is its first argument; what it does comes after `DYING`, which needs the names of the functions.
"""

from __future__ import annotations

DYING = """
import os, sys
countdown = int(sys.argv[1])
def dying(function):
    def call(*arguments, **options):
        global countdown
        countdown -= 1
        if countdown == 0:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return call
"""
