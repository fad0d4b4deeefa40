package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationNoticeTest {
  private static final long DEADLINE_MS = 90_000;

  @TempDir private Path directory;

  private final List<Long> checks = new ArrayList<>();
  private long nowNanos;
  private boolean moves;
  private Path file;
  private Decommission decommission;
  private TerminationNotice notice;

  @BeforeEach
  void create() {
    file = directory.resolve("notice");
    decommission =
        new Decommission(
            () -> false,
            new NoSeal(),
            new Decommission.Handover() {
              @Override
              public void begin() {
                moves = true;
              }

              @Override
              public void cancel() {
                moves = false;
              }

              @Override
              public boolean isDone() {
                return false;
              }
            },
            () -> nowNanos);
    notice = new TerminationNotice(file, DEADLINE_MS, decommission, checks::add);
  }

  @Test
  void movesDataAndExitsAtTheDeadline() throws IOException {
    notice.check();
    assertThat(decommission.isActive()).isFalse();

    Files.createFile(file);
    notice.check();
    notice.check();
    assertThat(moves).isTrue();
    assertThat(checks).containsExactly(DEADLINE_MS);

    nowNanos = TimeUnit.MILLISECONDS.toNanos(DEADLINE_MS);
    decommission.check();
    assertThat(decommission.hasEnded()).isTrue();
  }

  @Test
  void continuesIfTheFileIsRemoved() throws IOException {
    Files.createFile(file);
    notice.check();
    Files.delete(file);
    notice.check();

    assertThat(moves).isFalse();
    assertThat(decommission.isActive()).isFalse();
  }

  @Test
  void anOperatorCanOverruleTheNotice() throws IOException {
    Files.createFile(file);
    notice.check();
    decommission.cancel();
    notice.check();

    assertThat(decommission.isActive()).as("the file is still there").isFalse();
  }
}
