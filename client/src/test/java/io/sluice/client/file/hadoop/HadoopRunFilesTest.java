package io.sluice.client.file.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.file.RemoteDirectory;
import io.sluice.client.file.RemoteRunFiles;
import io.sluice.client.file.RunFileInput;
import io.sluice.client.file.RunFileOpener;
import io.sluice.client.file.RunFileSource;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HadoopRunFilesTest {
  private static final RunFileSource SOURCE =
      new RunFileSource(ServerId.getDefaultInstance(), "", ShuffleId.getDefaultInstance(), 1);

  private static final String NAME = "00112233445566778899aabbccddeeff.run";

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong(-5);
  private HadoopRunFiles files;

  @BeforeEach
  void open() {
    files = new HadoopRunFiles(base(), true, 30_000, nanos::get);
  }

  private RemoteDirectory base() {
    return RemoteDirectory.parse("file://" + directory.resolve("base"));
  }

  /** The header of a run file with an id, and some bytes. */
  private static byte[] content(long high, long low) {
    return ByteBuffer.allocate(28)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(new byte[] {'S', 'L', 'R', 'N'})
        .putInt(1)
        .putLong(high)
        .putLong(low)
        .put(new byte[] {1, 2, 3, 4})
        .array();
  }

  private String write(String name, byte[] content) throws IOException {
    Path file = directory.resolve("base/app/server").resolve(name);
    Files.createDirectories(file.getParent());
    return "file:" + Files.write(file, content);
  }

  @AfterEach
  void close() {
    files.close();
  }

  @Test
  void readsAFileByItsPath() throws Exception {
    String name = write(NAME, content(0x0011223344556677L, 0x8899aabbccddeeffL));
    ByteBuf target = Unpooled.directBuffer(16);
    try (RunFileInput input = files.open(SOURCE, name).get(30, TimeUnit.SECONDS)) {
      input.read(25, target, 3);
      input.read(0, target, 1);
      assertThatThrownBy(() -> input.read(26, target, 3))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("reading run file " + name + " failed");
      assertThat(target).isEqualTo(Unpooled.wrappedBuffer(new byte[] {2, 3, 4, 'S'}));
    } finally {
      target.release();
    }
  }

  @Test
  void failsIfTheFileOrFileSystemDoesNotExist() {
    String none = "file:" + directory + "/base/none.run";
    assertThatThrownBy(() -> files.open(SOURCE, none).get(30, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("opening run file " + none + " failed");
    try (HadoopRunFiles elsewhere =
        new HadoopRunFiles(RemoteDirectory.parse("nosuch://h/"), true, 30_000, nanos::get)) {
      assertThatThrownBy(() -> elsewhere.open(SOURCE, "nosuch://h/a.run").get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("opening run file nosuch://h/a.run failed");
    }
    assertThat(files.mayOpen(SOURCE)).isTrue();
  }

  @Test
  void opensNoFileOutsideTheDirectory() throws Exception {
    Path secret = Files.write(directory.resolve(NAME), content(1, 2));

    for (String name :
        new String[] {
          "file:" + secret, "file:" + directory + "/base/../" + NAME, "hdfs://h" + directory
        }) {
      assertThatThrownBy(() -> files.open(SOURCE, name).get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining(
              "the server returned a run file outside of rss.client.read.remote.path=" + base());
    }
  }

  @Test
  void rejectsAFileWithAnotherHeader() throws Exception {
    String another = write(NAME, content(1, 2));
    assertThatThrownBy(() -> files.open(SOURCE, another).get(30, TimeUnit.SECONDS))
        .hasMessageContaining(
            "the server returned another run file, found=00000000000000010000000000000002.run"
                + " expected="
                + NAME);

    for (byte[] content : new byte[][] {{}, {'S', 'L', 'R', 'N'}, new byte[100]}) {
      String name = write(NAME, content);
      assertThatThrownBy(() -> files.open(SOURCE, name).get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("opening run file " + name + " failed");
    }
  }

  @Test
  void pausesAfterAFileSystemHangs() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    try (HadoopRunFiles impatient = new HadoopRunFiles(base(), true, 10, nanos::get)) {
      assertThatThrownBy(
              () ->
                  impatient.inTime(
                      "hdfs://h/a.run",
                      () -> {
                        try {
                          assertThat(answer.await(60, TimeUnit.SECONDS)).isTrue();
                        } catch (InterruptedException e) {
                          throw new IOException(e);
                        }
                        return new byte[1];
                      }))
          .isInstanceOf(IOException.class)
          .hasMessage("reading run file hdfs://h/a.run timed out after 10 ms");
      assertThat(impatient.mayOpen(SOURCE)).isFalse();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
      assertThat(impatient.mayOpen(SOURCE)).isTrue();
    } finally {
      answer.countDown();
    }
  }

  @Test
  void opensNothingWithoutHadoop() {
    assertThat(HadoopRunFiles.isThere("no.such.Class", getClass().getClassLoader())).isFalse();
    try (HadoopRunFiles without = new HadoopRunFiles(base(), false, 1, nanos::get)) {
      assertThat(without.mayOpen(SOURCE)).isFalse();
    }
  }

  @Test
  void refusesToOpenOnceItIsClosed() {
    files.close();
    assertThatThrownBy(() -> files.open(SOURCE, base() + "/x").get(30, TimeUnit.SECONDS))
        .hasMessageContaining("the client is closed");
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(RemoteRunFiles.class))
        .singleElement()
        .satisfies(
            service -> {
              RunFileOpener opener = service.below(base());
              assertThat(opener).isInstanceOf(HadoopRunFiles.class);
              assertThat(opener.kind()).isEqualTo(RunFileKind.REMOTE_FILE);
              assertThat(opener.mayOpen(SOURCE)).isTrue();
              opener.close();
            });
  }
}
