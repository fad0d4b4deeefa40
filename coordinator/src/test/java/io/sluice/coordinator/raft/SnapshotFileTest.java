package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotFileTest {
  private static final List<byte[]> RECORDS = List.of(new byte[] {1, 2}, new byte[] {3});

  private static byte[] golden() throws IOException {
    try (InputStream golden =
        SnapshotFileTest.class.getResourceAsStream("/golden/shared-snapshot-v1.bin")) {
      return golden.readAllBytes();
    }
  }

  @Test
  void writesTheGoldenFile() throws IOException {
    assertThat(SnapshotFile.encode(RECORDS)).isEqualTo(golden());
  }

  @Test
  void readsTheGoldenFile(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("snapshot"), golden());

    assertThat(SnapshotFile.read(file)).containsExactlyElementsOf(RECORDS);
  }

  @Test
  void refusesEveryFlippedByteAndEveryTruncation() throws IOException {
    byte[] golden = golden();
    for (int i = 0; i < golden.length; i++) {
      byte[] flipped = golden.clone();
      flipped[i] ^= 1;
      assertThatThrownBy(() -> SnapshotFile.decode(flipped)).isInstanceOf(IOException.class);
      byte[] cut = Arrays.copyOf(golden, i);
      assertThatThrownBy(() -> SnapshotFile.decode(cut)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void namesTheDamagedFile(@TempDir Path directory) throws IOException {
    Path file = Files.write(directory.resolve("snapshot"), new byte[20]);

    assertThatThrownBy(() -> SnapshotFile.read(file))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("not a snapshot");
  }
}
