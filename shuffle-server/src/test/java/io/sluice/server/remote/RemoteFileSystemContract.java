package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteInput;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every implementation of a remote file system, including fakes. */
public abstract class RemoteFileSystemContract {
  private RemoteFileSystem files;

  /** An empty file system; closed by the test. */
  protected abstract RemoteFileSystem openEmpty() throws IOException;

  @BeforeEach
  void open() throws IOException {
    files = openEmpty();
  }

  @AfterEach
  void close() throws IOException {
    files.close();
    files.close();
  }

  @Test
  void readsBackWrittenBytes() throws IOException {
    byte[] content = randomBytes(3_000_000);
    try (RemoteOutput output = files.create("app/server/a.run")) {
      output.write(ByteBuffer.wrap(content, 0, 1000));
      output.write(direct(content, 1000, 2_000_000));
      output.write(ByteBuffer.wrap(content, 2_001_000, 0));
      output.write(ByteBuffer.wrap(content, 2_001_000, content.length - 2_001_000).slice());
      output.complete();
    }
    try (RemoteInput input = files.open("app/server/a.run")) {
      assertThat(input.length()).isEqualTo(content.length);
      assertThat(read(input, 0, ByteBuffer.allocate(content.length))).isEqualTo(content);
      assertThat(read(input, 999, ByteBuffer.allocateDirect(5)))
          .containsExactly(
              content[999], content[1000], content[1001], content[1002], content[1003]);
      ByteBuffer middle = ByteBuffer.allocate(20).position(5).limit(9).slice();
      assertThat(read(input, content.length - 4L, middle))
          .containsExactly(
              content[content.length - 4],
              content[content.length - 3],
              content[content.length - 2],
              content[content.length - 1]);
      assertThat(input.read(content.length, ByteBuffer.allocate(1))).isEqualTo(-1);
    }
  }

  @Test
  void readsAtSeveralPositionsAtATime() throws Exception {
    byte[] content = randomBytes(1 << 20);
    write("app/server/a.run", content);
    try (RemoteInput input = files.open("app/server/a.run")) {
      List<CompletableFuture<byte[]>> reads =
          java.util.stream.IntStream.range(0, 8)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> {
                            try {
                              return read(input, i * 131_072L, ByteBuffer.allocateDirect(131_072));
                            } catch (IOException e) {
                              throw new java.io.UncheckedIOException(e);
                            }
                          }))
              .toList();
      for (int i = 0; i < 8; i++) {
        assertThat(reads.get(i).get(30, TimeUnit.SECONDS))
            .isEqualTo(java.util.Arrays.copyOfRange(content, i * 131_072, (i + 1) * 131_072));
      }
    }
  }

  @Test
  void deletesAFileThatWasNotCompleted() throws IOException {
    try (RemoteOutput output = files.create("app/server/a.run")) {
      output.write(ByteBuffer.wrap(randomBytes(100_000)));
    }
    assertThat(files.list("app/server")).isEmpty();
    assertThatThrownBy(() -> files.open("app/server/a.run"))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void replacesAFile() throws IOException {
    write("app/server/a.run", new byte[] {1, 2, 3});
    write("app/server/a.run", new byte[] {4});
    assertThat(files.list("app/server")).containsExactly(new RemoteEntry("a.run", false, 1));
    try (RemoteInput input = files.open("app/server/a.run")) {
      assertThat(read(input, 0, ByteBuffer.allocate(1))).containsExactly(4);
    }
  }

  @Test
  void listsOneDirectory() throws IOException {
    assertThat(files.list("")).isEmpty();
    assertThat(files.list("app-1/server")).isEmpty();
    write("app-1/server/a.run", new byte[10]);
    write("app-1/server/b.run", new byte[20]);
    write("app-1/other/c.run", new byte[30]);
    write("app-10/server/d.run", new byte[40]);
    assertThat(files.list(""))
        .containsExactlyInAnyOrder(
            new RemoteEntry("app-1", true, 0), new RemoteEntry("app-10", true, 0));
    assertThat(files.list("app-1"))
        .containsExactlyInAnyOrder(
            new RemoteEntry("server", true, 0), new RemoteEntry("other", true, 0));
    assertThat(files.list("app-1/server"))
        .containsExactlyInAnyOrder(
            new RemoteEntry("a.run", false, 10), new RemoteEntry("b.run", false, 20));
  }

  @Test
  void deletesOneFile() throws IOException {
    write("app/server/a.run", new byte[10]);
    write("app/server/a.run.other", new byte[10]);
    files.delete("app/server/a.run");
    files.delete("app/server/a.run");
    assertThat(files.list("app/server")).containsExactly(new RemoteEntry("a.run.other", false, 10));
  }

  @Test
  void deletesADirectoryOnlyWhenItIsEmpty() throws IOException {
    write("app/server/a.run", new byte[10]);
    write("app/other/b.run", new byte[10]);
    files.deleteEmptyDirectory("app/server");
    assertThat(files.list("app/server")).hasSize(1);
    files.delete("app/server/a.run");
    files.deleteEmptyDirectory("app/server");
    files.deleteEmptyDirectory("app/server");
    files.deleteEmptyDirectory("app");
    assertThat(files.list("app")).containsExactly(new RemoteEntry("other", true, 0));
    files.delete("app/other/b.run");
    files.deleteEmptyDirectory("app/other");
    files.deleteEmptyDirectory("app");
    assertThat(files.list("")).isEmpty();
  }

  @Test
  void reportsItsSpace() throws IOException {
    RemoteSpace space = files.space();
    assertThat(space.capacityBytes()).isPositive();
    assertThat(space.freeBytes()).isBetween(0L, space.capacityBytes());
  }

  private void write(String path, byte[] content) throws IOException {
    try (RemoteOutput output = files.create(path)) {
      output.write(ByteBuffer.wrap(content));
      output.complete();
    }
  }

  private static byte[] read(RemoteInput input, long position, ByteBuffer target)
      throws IOException {
    int start = target.position();
    while (target.hasRemaining()) {
      int count = input.read(position + target.position() - start, target);
      assertThat(count).isPositive();
    }
    byte[] bytes = new byte[target.position() - start];
    target.get(start, bytes);
    return bytes;
  }

  private static ByteBuffer direct(byte[] content, int offset, int length) {
    return ByteBuffer.allocateDirect(length).put(content, offset, length).flip();
  }

  private static byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
