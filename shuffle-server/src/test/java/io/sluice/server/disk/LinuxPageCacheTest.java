package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class LinuxPageCacheTest {
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  private final PageCache cache = LinuxPageCache.load();

  @Test
  void isAvailableOnThisSystem() {
    assertThat(cache).isInstanceOf(LinuxPageCache.class);
  }

  @Test
  void reportsDropsAndLoadsCachedBytes() throws Exception {
    Path path = directory.resolve("file");
    try (FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(5 * MIB));
      assertThat(cache.isCached(file, 0, 5 * MIB)).as("new file").isTrue();
      assertThat(cache.isCached(file, 4 * MIB + 1, MIB - 1)).isTrue();

      file.force(false);
      cache.drop(file, 0, 5 * MIB);
      // An in-memory file system keeps all bytes cached.
      assumeTrue(!cache.isCached(file, 0, 5 * MIB));
      assertThat(cache.isCached(file, 3 * MIB, 100)).isFalse();

      assertThat(cache.load(file, 2 * MIB + 5, MIB)).isTrue();
      assertThat(cache.isCached(file, 2 * MIB + 5, MIB)).isTrue();
      // Other bytes may be cached by the kernel's read-ahead.
      assertThatThrownBy(() -> cache.load(file, 4 * MIB, 2 * MIB)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void keepsAFileMappedUntilItIsForgotten() throws Exception {
    Path path = directory.resolve("mapped");
    Files.write(path, new byte[3 * MIB]);
    try (FileChannel file = FileChannel.open(path)) {
      assertThat(cache.isCached(file, 5, 2 * MIB)).isTrue();
      assertThat(cache.isCached(file, 2 * MIB, MIB)).isTrue();
      assertThat(mappings(path)).isEqualTo(1);

      cache.forget(file);
      cache.forget(file);
      assertThat(mappings(path)).isZero();
      assertThat(cache.isCached(file, 0, 1)).as("mapped again").isTrue();
      cache.forget(file);
    }
  }

  @Test
  void bytesOutsideOfTheFileAreNotCached() throws Exception {
    Path path = directory.resolve("short");
    Files.write(path, new byte[100]);
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      assertThat(cache.isCached(file, 0, 100)).isTrue();
      assertThat(cache.isCached(file, 0, 101)).isFalse();
      file.truncate(0);
      assertThat(cache.isCached(file, 0, 100)).as("truncated before its deletion").isFalse();
      cache.forget(file);
      assertThat(cache.isCached(file, 0, 1)).as("empty").isFalse();
    }
  }

  private static long mappings(Path path) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.endsWith("/" + path.getFileName()))
        .count();
  }
}
