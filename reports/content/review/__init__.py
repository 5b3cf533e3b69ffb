"""What `review` found out as a page: claims, code, where two versions part, what each shows alone."""
