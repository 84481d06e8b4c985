"""Write the generated parts of docs/."""

from tests.docs.generated import write_all

write_all()
