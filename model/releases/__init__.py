"""The releases of the kubelet whose pod workers differ, one file each, from the newest to the oldest.

Each is a class that overrides what differs from the release it is based on: a later one says what has changed since, an
earlier one what was not mended yet. Its `kubelet` is the environment of that release.
"""

from podproof.model.releases.v1_22_0 import V1_22_0
from podproof.model.releases.v1_22_5 import V1_22_5
from podproof.model.releases.v1_26 import V1_26
from podproof.model.releases.v1_27_0 import V1_27_0
from podproof.model.releases.v1_27_2 import V1_27_2
from podproof.model.releases.v1_29 import V1_29
from podproof.model.releases.v1_32 import V1_32
from podproof.model.releases.v1_34 import V1_34
from podproof.model.releases.v1_35 import V1_35
from podproof.model.releases.v1_36 import V1_36
from podproof.model.releases.v1_36_3 import V1_36_3

__all__ = ["V1_22_0", "V1_22_5", "V1_26", "V1_27_0", "V1_27_2", "V1_29", "V1_32", "V1_34", "V1_35", "V1_36", "V1_36_3"]
