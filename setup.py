"""What pyproject.toml has no stable way to say: a module in C, left out where it cannot be compiled."""

from setuptools import Extension, setup

# -O3: its loops compare many bytes at a time, and not every Python asks for that.
ROWS = Extension("cchooks_suite.transcripts._rows", ["transcripts/_rows.c"], extra_compile_args=["-O3"], optional=True)

setup(ext_modules=[ROWS])
