package io.sluice.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CatalogFormatTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app-20261121-0001", 7);
  private static final RunRecord RUN =
      new RunRecord(
          new RunId(0x0011223344556677L, 0x8899aabbccddeeffL),
          SHUFFLE,
          new RunOrder(1_795_000_000_000L, 42),
          569,
          List.of(new RunId(1, 2)));
  private static final Tombstone TOMBSTONE = new Tombstone(SHUFFLE, 1_795_000_000_000L);
  private static final TreeMap<Long, Integer> DAMAGE =
      new TreeMap<>(Map.of(70L, 1037, 5_000_000_000L, 300));
  private static final CleanStop STOP = new CleanStop(1_795_000_000_000L, 1_794_000_000_000L, 2);

  @Test
  void keysAndValuesAreThoseOfTheGoldenFile() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(CatalogFormat.formatKey());
    all.write(CatalogFormat.format());
    all.write(CatalogFormat.runKey(RUN.id()));
    all.write(CatalogFormat.encode(RUN));
    all.write(CatalogFormat.tombstoneKey(TOMBSTONE));
    all.write(CatalogFormat.stopKey());
    all.write(CatalogFormat.encode(STOP));
    try (InputStream golden = getClass().getResourceAsStream("/golden/catalog-v1.bin")) {
      assertThat(all.toByteArray()).isEqualTo(golden.readAllBytes());
    }
  }

  @Test
  void recordsOfDamageAreThoseOfTheGoldenFile() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(CatalogFormat.damageKey(RUN.id()));
    all.write(CatalogFormat.encode(DAMAGE));
    try (InputStream golden = getClass().getResourceAsStream("/golden/catalog-damage-v1.bin")) {
      assertThat(all.toByteArray()).isEqualTo(golden.readAllBytes());
    }
    assertThat(CatalogFormat.decodeDamagedRun(CatalogFormat.damageKey(RUN.id())))
        .isEqualTo(RUN.id());
    assertThat(CatalogFormat.decodeDamage(CatalogFormat.encode(DAMAGE))).isEqualTo(DAMAGE);
  }

  @Test
  void refusesDamageWithInvalidValues() {
    byte[] value = CatalogFormat.encode(DAMAGE);
    for (int length = 0; length < value.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(value, length);
      assertThatThrownBy(() -> CatalogFormat.decodeDamage(cut)).isInstanceOf(IOException.class);
    }
    byte[] descending = value.clone();
    System.arraycopy(value, 8, descending, 20, 12);
    assertThatThrownBy(() -> CatalogFormat.decodeDamage(descending))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("damaged block of 1037 bytes at offset 70 after 70");
    assertThatThrownBy(() -> CatalogFormat.decodeDamagedRun(new byte[16]))
        .isInstanceOf(IOException.class);
    TreeMap<Long, Integer> many = new TreeMap<>();
    for (long offset = 0; offset <= 1024; offset++) {
      many.put(offset, 1);
    }
    assertThatThrownBy(() -> CatalogFormat.encode(many))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsBackWrittenRecords() throws IOException {
    CatalogFormat.checkFormat(CatalogFormat.format());
    assertThat(CatalogFormat.decodeRun(CatalogFormat.runKey(RUN.id()), CatalogFormat.encode(RUN)))
        .isEqualTo(RUN);
    assertThat(CatalogFormat.decodeTombstone(CatalogFormat.tombstoneKey(TOMBSTONE)))
        .isEqualTo(TOMBSTONE);
    assertThat(CatalogFormat.decodeStop(CatalogFormat.encode(STOP))).isEqualTo(STOP);
  }

  @Test
  void refusesARunThatReplacesItself() {
    assertThatThrownBy(
            () ->
                CatalogFormat.decodeRun(
                    CatalogFormat.runKey(new RunId(1, 2)), CatalogFormat.encode(RUN)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lists itself as replaced");
  }

  @Test
  void refusesApplicationsThatAreNotAscii() {
    byte[] run = CatalogFormat.encode(RUN);
    run[40] = (byte) 0xc3;
    assertThatThrownBy(() -> CatalogFormat.decodeRun(CatalogFormat.runKey(RUN.id()), run))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not ASCII");
  }

  @Test
  void refusesTruncatedValues() {
    byte[] run = CatalogFormat.encode(RUN);
    for (int length = 0; length < run.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(run, length);
      assertThatThrownBy(() -> CatalogFormat.decodeRun(CatalogFormat.runKey(RUN.id()), cut))
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> CatalogFormat.decodeRun(new byte[3], run))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> CatalogFormat.decodeStop(new byte[23]))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> CatalogFormat.decodeStop(new byte[24]))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> CatalogFormat.decodeTombstone(new byte[13]))
        .isInstanceOf(IOException.class);
  }
}
