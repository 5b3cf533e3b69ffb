"""Would the claims notice a wrong model? One place of it is changed at a time, and somebody has to object."""
