package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
  void isThereOnThisSystem() {
    assertThat(cache).isInstanceOf(LinuxPageCache.class);
  }

  @Test
  void knowsWhatItHoldsAndDropsAndLoads() throws Exception {
    Path path = directory.resolve("file");
    try (FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(5 * MIB));
      assertThat(cache.holds(file, 0, 5 * MIB)).as("just written").isTrue();
      assertThat(cache.holds(file, 4 * MIB + 1, MIB - 1)).isTrue();

      file.force(false);
      cache.drop(file, 0, 5 * MIB);
      // A file system in memory keeps everything.
      assumeTrue(!cache.holds(file, 0, 5 * MIB));
      assertThat(cache.holds(file, 3 * MIB, 100)).isFalse();

      assertThat(cache.load(file, 2 * MIB + 5, MIB)).isTrue();
      assertThat(cache.holds(file, 2 * MIB + 5, MIB)).isTrue();
      // What else is there by now is for the kernel's own read-ahead to say.
      assertThatThrownBy(() -> cache.load(file, 4 * MIB, 2 * MIB)).isInstanceOf(EOFException.class);
    }
  }
}
