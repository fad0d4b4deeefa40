package io.sluice.common.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFileTest {
  @TempDir Path directory;
  private Path path;

  private final AtomicLong nanos = new AtomicLong();

  @BeforeEach
  void write() throws IOException {
    path = directory.resolve("number");
    Files.writeString(path, "1");
  }

  private WatchedFile<Integer> file() throws IOException {
    return WatchedFile.open(path, Integer::valueOf);
  }

  @Test
  void followsTheContents() throws IOException {
    WatchedFile<Integer> file = file();
    assertThat(file.read()).isEqualTo(1);
    Files.writeString(path, "2");
    assertThat(file.read()).isEqualTo(2);
  }

  @Test
  void noticesContentsOfTheSameSizeAndTime() throws IOException {
    FileTime time = Files.getLastModifiedTime(path);
    WatchedFile<Integer> file = file();
    Files.writeString(path, "2");
    Files.setLastModifiedTime(path, time);
    assertThat(file.read()).isEqualTo(2);
  }

  @Test
  void parsesTheSameContentsOnce() throws IOException {
    WatchedFile<Object> file = WatchedFile.open(path, text -> new Object());
    Object first = file.read();
    Files.writeString(path, "1");
    assertThat(file.read()).isSameAs(first);
  }

  @Test
  void keepsTheLastValidValueWhileTheFileIsInvalidOrAbsent() throws IOException {
    WatchedFile<Integer> file = file();
    Files.writeString(path, "many");
    assertThat(file.read()).isEqualTo(1);
    Files.delete(path);
    assertThat(file.read()).isEqualTo(1);
    Files.createDirectory(path);
    assertThat(file.read()).isEqualTo(1);
    Files.delete(path);
    Files.write(path, new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0xfd});
    assertThat(file.read()).isEqualTo(1);
    Files.writeString(path, "0".repeat(WatchedFile.MAX_BYTES) + "2");
    assertThat(file.read()).isEqualTo(1);
    Files.writeString(path, "3");
    assertThat(file.read()).isEqualTo(3);
  }

  @Test
  void readsForFrequentCallersEveryTwoSecondsAtMost() throws IOException {
    Supplier<Integer> number = file().cached(nanos::get);
    Files.writeString(path, "2");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2) - 1);
    assertThat(number.get()).isEqualTo(1);
    nanos.addAndGet(1);
    assertThat(number.get()).isEqualTo(2);
  }

  @Test
  void anOptionalFileMayAppearAndDisappear() throws IOException {
    Files.delete(path);
    WatchedFile<Integer> file = WatchedFile.openOptional(path, Integer::valueOf, 0);
    assertThat(file.read()).isEqualTo(0);
    Files.writeString(path, "5");
    assertThat(file.read()).isEqualTo(5);
    Files.writeString(path, "many");
    assertThat(file.read()).isEqualTo(5);
    Files.delete(path);
    assertThat(file.read()).isEqualTo(0);
  }

  @Test
  void refusesToOpenAnInvalidFileInOneLineThatNamesIt() throws IOException {
    Files.writeString(path, "many");
    assertThatThrownBy(this::file)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(path + ": ")
        .hasMessageContaining("many");
    Files.write(path, new byte[WatchedFile.MAX_BYTES + 1]);
    assertThatThrownBy(this::file).hasMessage(path + ": larger than 1048576 bytes");
    Files.delete(path);
    assertThatThrownBy(this::file).hasMessage(path + ": no such file");
  }
}
