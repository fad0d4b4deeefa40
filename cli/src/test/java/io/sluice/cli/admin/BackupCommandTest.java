package io.sluice.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the commands that save and restore the state of a coordinator. */
@Timeout(60)
class BackupCommandTest {
  @TempDir Path directory;

  private CoordinatorProcess start(String data) throws IOException {
    return CoordinatorProcess.start(
        ConfigSet.of(
            CoordinatorConfig.SCHEMA,
            Map.of(
                "rss.coordinator.host", "127.0.0.1",
                "rss.rpc.server.port", "0",
                "rss.jetty.http.port", "0",
                "rss.coordinator.data.dir", directory.resolve(data).toString())));
  }

  private CliRun backup(CoordinatorProcess coordinator, Path file, String... more) {
    String[] args = new String[more.length + 5];
    args[0] = "admin";
    args[1] = "backup";
    args[2] = file.toString();
    args[3] = "--coordinator";
    args[4] = "127.0.0.1:" + coordinator.rpcPort();
    System.arraycopy(more, 0, args, 5, more.length);
    return CliRun.of(args);
  }

  private CliRun restore(Path file, String data) {
    return CliRun.of(
        "coordinator",
        "restore",
        file.toString(),
        "-D",
        "rss.coordinator.data.dir=" + directory.resolve(data));
  }

  @Test
  void savesAndRestores() throws IOException {
    Path file = directory.resolve("state.backup");
    try (CoordinatorProcess coordinator = start("first")) {
      CliRun saved = backup(coordinator, file);

      assertThat(saved.err()).isEmpty();
      assertThat(saved.exitCode()).isZero();
      assertThat(saved.out())
          .startsWith("saved: bytes=" + Files.size(file) + " at=")
          .endsWith(
              " exclusions=0 usersWithLimits=0 revocations=0 decommissions=0"
                  + " liveApplications=0\n");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      CliRun again = backup(coordinator, file, "--without-quorum");
      assertThat(again.exitCode()).isEqualTo(1);
      assertThat(again.err()).contains(file + " exists, and no file is replaced").hasLineCount(1);
    }

    CliRun restored = restore(file, "second");

    assertThat(restored.err()).isEmpty();
    assertThat(restored.out()).startsWith("restored: exclusions=0 ");
    CliRun repeated = restore(file, "second");
    assertThat(repeated.exitCode()).isEqualTo(1);
    assertThat(repeated.err()).contains("second is not empty").hasLineCount(1);
    start("second").close();
  }

  @Test
  void refusesWhatIsNoBackup() throws IOException {
    Path wrong = Files.writeString(directory.resolve("notes.txt"), "not a state");

    CliRun run = restore(wrong, "data");
    CliRun missing = restore(directory.resolve("none"), "data");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("not a backup of a coordinator").hasLineCount(1);
    assertThat(missing.err()).contains("none does not exist").hasLineCount(1);
    assertThat(directory.resolve("data")).doesNotExist();
  }
}
