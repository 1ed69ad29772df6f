"""Compiles regular expressions when they are first used, and writes texts and numbers in one spelling for comparisons, for every
package.

Imports nothing of the project.
"""
