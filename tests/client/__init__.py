"""Tests that run the real client against a scripted API on loopback."""
