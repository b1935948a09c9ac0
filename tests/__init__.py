"""The tests: a package, so that files of the same name in different folders are different modules."""
