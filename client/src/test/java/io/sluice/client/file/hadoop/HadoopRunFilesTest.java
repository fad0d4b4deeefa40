package io.sluice.client.file.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.file.RunFileInput;
import io.sluice.client.file.RunFileOpener;
import io.sluice.client.file.RunFileSource;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HadoopRunFilesTest {
  private static final RunFileSource SOURCE =
      new RunFileSource(ServerId.getDefaultInstance(), "", ShuffleId.getDefaultInstance(), 1);

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong(-5);
  private final HadoopRunFiles files = new HadoopRunFiles(true, 30_000, nanos::get);

  @AfterEach
  void close() {
    files.close();
  }

  @Test
  void readsAFileByItsPath() throws Exception {
    Path file = Files.write(directory.resolve("a.run"), new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
    ByteBuf target = Unpooled.directBuffer(16);
    try (RunFileInput input = files.open(SOURCE, "file:" + file).get(30, TimeUnit.SECONDS)) {
      input.read(2, target, 3);
      input.read(0, target, 1);
      assertThatThrownBy(() -> input.read(6, target, 3))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("file:" + file + " cannot be read");
      assertThat(target).isEqualTo(Unpooled.wrappedBuffer(new byte[] {2, 3, 4, 0}));
    } finally {
      target.release();
    }
  }

  @Test
  void failsWhereThereIsNoSuchFileOrFileSystem() {
    for (String name : new String[] {"file:" + directory + "/none.run", "nosuch://h/a.run"}) {
      assertThatThrownBy(() -> files.open(SOURCE, name).get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining(name + " cannot be opened");
    }
    assertThat(files.mayOpen(SOURCE)).isTrue();
  }

  @Test
  void asksNoFileSystemForAWhileAfterOneHangs() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    try (HadoopRunFiles impatient = new HadoopRunFiles(true, 10, nanos::get)) {
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
          .hasMessage("hdfs://h/a.run was not read within 10 ms");
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
    try (HadoopRunFiles without = new HadoopRunFiles(false, 1, nanos::get)) {
      assertThat(without.mayOpen(SOURCE)).isFalse();
    }
  }

  @Test
  void refusesToOpenOnceItIsClosed() {
    files.close();
    assertThatThrownBy(() -> files.open(SOURCE, "file:/x").get(30, TimeUnit.SECONDS))
        .hasMessageContaining("the client is closed");
  }

  @Test
  void isFoundAsAService() {
    assertThat(ServiceLoader.load(RunFileOpener.class))
        .singleElement()
        .satisfies(
            opener -> {
              assertThat(opener).isInstanceOf(HadoopRunFiles.class);
              assertThat(opener.kind()).isEqualTo(RunFileKind.REMOTE_FILE);
              assertThat(opener.mayOpen(SOURCE)).isTrue();
              opener.close();
            });
  }
}
