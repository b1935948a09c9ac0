"""Benchmarks: ratios taken in one interleaved run, printed, never asserted in a test."""
