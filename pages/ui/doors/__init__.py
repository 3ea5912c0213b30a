"""What strangers meet before a page: headers, closed addresses, uploads, messages (ADR 0017)."""
