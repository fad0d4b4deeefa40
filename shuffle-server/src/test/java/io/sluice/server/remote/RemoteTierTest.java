package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RemoteTierTest {
  private static final RunId RUN = RunId.random(new Random(1)::nextLong);
  private static final RunRecord RECORD =
      new RunRecord(RUN, new ShuffleKey("app", 0), new RunOrder(1, 1), 10, List.of());

  @TempDir private Path directory;
  private final InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();

  @Test
  void findsItsRunsAgain() throws Exception {
    RemoteTier tier = open(() -> files, 20_000);
    files.put("app/" + serverDirectory().name() + "/" + RUN + ".run", new byte[10]);
    tier.catalog().add(RECORD);
    close(tier);
    RemoteTier again = open(() -> files, 20_000);
    assertThat(again.catalog().runs()).containsExactly(RECORD);
    assertThat(again.storage().list()).containsExactly(new Storage.Entry(RUN + ".run", 10));
    close(again);
  }

  @Test
  void deletesRunsThatWereNotRecovered() throws Exception {
    RemoteTier tier = open(() -> files, 20_000);
    files.put("app/" + serverDirectory().name() + "/" + RUN + ".run", new byte[10]);
    files.put("app/another/" + RUN + ".run", new byte[10]);
    tier.catalog().add(RECORD);
    close(tier);

    CountDownLatch answer = new CountDownLatch(1);
    RemoteTier late =
        open(
            () -> {
              try {
                assertThat(answer.await(60, TimeUnit.SECONDS)).isTrue();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return files;
            },
            0);
    assertThat(late.catalog().runs()).containsExactly(RECORD);
    answer.countDown();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (files.paths().size() > 1 || !late.catalog().runs().isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    assertThat(files.paths()).containsExactly("app/another/" + RUN + ".run");
    close(late);
  }

  @Test
  void usesAnotherDirectoryIfItsOwnWasAdopted() throws Exception {
    RemoteTier tier = open(() -> files, 20_000);
    String name = serverDirectory().name();
    files.put("app/" + name + "/" + RUN + ".run", new byte[10]);
    tier.catalog().add(RECORD);
    tier.adopted("older_1", "older:1");
    close(tier);
    new AdoptionMarks(files).write(name, "adopter_1");

    RemoteTier returned = open(() -> files, 20_000);

    assertThat(serverDirectory().name()).isNotEqualTo(name).startsWith("host_");
    assertThat(returned.storage().directories()).containsExactly(serverDirectory().name());
    assertThat(returned.catalog().runs()).isEmpty();
    assertThat(returned.adopted()).isEmpty();
    assertThat(returned.storage().list()).isEmpty();
    assertThat(files.paths()).contains("app/" + name + "/" + RUN + ".run");
    close(returned);
  }

  @Test
  void keepsAdoptedDirectoriesAcrossRestarts() throws Exception {
    RemoteTier tier = open(() -> files, 20_000);
    files.put("app/lost_1/" + RUN + ".run", new byte[10]);
    tier.storage().adopt("lost_1");
    tier.adopted("lost_1", "lost:1");
    tier.storage().adopt("empty_1");
    tier.adopted("empty_1", "lost:2");
    tier.storage().adopt("unfinished_1");
    close(tier);

    RemoteTier again = open(() -> files, 20_000);
    assertThat(again.adopted()).isEqualTo(Map.of("lost_1", "lost:1", "empty_1", "lost:2"));
    assertThat(again.storage().list()).containsExactly(new Storage.Entry(RUN + ".run", 10));
    again.release("empty_1");
    assertThat(again.storage().emptyDirectories()).contains("empty_1");
    assertThat(again.storage().directories()).doesNotContain("empty_1");
    files.put("app/empty_1/b.run", new byte[10]);
    again.storage().adopt("empty_1");
    assertThat(again.storage().emptyDirectories()).as("adopted again").doesNotContain("empty_1");
    files.delete("app/empty_1/b.run");
    again.release("empty_1");
    new AdoptionMarks(files).write("lost_1", "another_1");
    close(again);

    RemoteTier third = open(() -> files, 20_000);
    assertThat(third.adopted()).isEmpty();
    assertThat(third.storage().list()).isEmpty();
    assertThat(files.paths())
        .containsExactly("=adopted/lost_1", "=adopted/unfinished_1", "app/lost_1/" + RUN + ".run");
    close(third);
  }

  private RemoteTier open(RemoteConnection.Opener opener, long timeoutMs) throws Exception {
    ServerDirectory server = serverDirectory();
    return RemoteTier.open(
        "memory:/x",
        opener,
        Long.MAX_VALUE,
        1,
        timeoutMs,
        1,
        server,
        RocksCatalog.open(server.catalog(), CatalogConfig.DEFAULT),
        new Random(8));
  }

  private ServerDirectory serverDirectory() throws IOException {
    return ServerDirectory.in(List.of(directory), "host", new Random(7));
  }

  private static void close(RemoteTier tier) throws IOException {
    tier.storage().close();
    tier.catalog().close();
  }
}
