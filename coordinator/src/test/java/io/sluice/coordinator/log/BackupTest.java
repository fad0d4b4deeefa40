package io.sluice.coordinator.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupTest {
  private static final Backup BACKUP =
      new Backup(1_700_000_000_000L, "c1:19999", true, List.of(new byte[] {1, 2}, new byte[] {3}));

  private static byte[] golden() throws IOException {
    try (InputStream golden = BackupTest.class.getResourceAsStream("/golden/backup-v1.bin")) {
      return golden.readAllBytes();
    }
  }

  @Test
  void writesTheGoldenFile() throws IOException {
    assertThat(BACKUP.encode()).isEqualTo(golden());
  }

  @Test
  void readsTheGoldenFile() throws IOException {
    Backup read = Backup.decode(golden());

    assertThat(read.records()).containsExactlyElementsOf(BACKUP.records());
    assertThat(read).usingRecursiveComparison().isEqualTo(BACKUP);
  }

  @Test
  void refusesEveryFlippedByteAndEveryTruncation() throws IOException {
    byte[] golden = golden();
    for (int i = 0; i < golden.length; i++) {
      byte[] flipped = golden.clone();
      flipped[i] ^= 1;
      assertThatThrownBy(() -> Backup.decode(flipped)).isInstanceOf(IOException.class);
      byte[] cut = Arrays.copyOf(golden, i);
      assertThatThrownBy(() -> Backup.decode(cut)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void refusesASnapshotOfTheSharedLog() throws IOException {
    try (InputStream snapshot =
        BackupTest.class.getResourceAsStream("/golden/shared-snapshot-v1.bin")) {
      byte[] file = snapshot.readAllBytes();

      assertThatThrownBy(() -> Backup.decode(file)).hasMessage("not a backup of a coordinator");
    }
  }

  @Test
  void refusesAStateAndAFileThatAreTooLarge() {
    byte[] half = new byte[Backup.MAX_BYTES / 2];

    assertThatThrownBy(() -> new Backup(0, "", true, List.of(half, half)).encode())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("maximum " + Backup.MAX_BYTES);
    InputStream tooLong = new ByteArrayInputStream(new byte[Backup.MAX_BYTES + 1]);
    assertThatThrownBy(() -> Backup.read(tooLong)).hasMessageContaining("longer than");
  }
}
