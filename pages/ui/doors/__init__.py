"""What strangers meet before a page: headers, closed addresses, uploads, messages, faults.

Nothing here draws a page; ADR 0021 says why each of them is as it is.
"""
