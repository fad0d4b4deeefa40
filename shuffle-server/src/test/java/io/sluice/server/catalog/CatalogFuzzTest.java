package io.sluice.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CatalogFuzzTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey("app-20261121-0001", 7);
  private static final RunRecord RUN =
      new RunRecord(
          new RunId(17, 42),
          SHUFFLE,
          new RunOrder(1_795_000_000_000L, 42),
          569,
          List.of(new RunId(1, 2), new RunId(3, 4)));
  private static final int KEY_LENGTH = CatalogFormat.runKey(RUN.id()).length;

  @Test
  void aRunIsRefusedOrEncodesToTheSame() {
    byte[] key = CatalogFormat.runKey(RUN.id());
    byte[] value = CatalogFormat.encode(RUN);
    byte[] both = Arrays.copyOf(key, key.length + value.length);
    System.arraycopy(value, 0, both, key.length, value.length);
    DecoderFuzz.of(both)
        .refusing(IOException.class)
        .run(
            input -> {
              int split = Math.min(KEY_LENGTH, input.length);
              RunRecord run =
                  CatalogFormat.decodeRun(
                      Arrays.copyOf(input, split), Arrays.copyOfRange(input, split, input.length));
              assertThat(CatalogFormat.encode(run))
                  .isEqualTo(Arrays.copyOfRange(input, split, input.length));
            });
  }

  @Test
  void aTombstoneIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(CatalogFormat.tombstoneKey(new Tombstone(SHUFFLE, 1_795_000_000_000L)))
        .refusing(IOException.class)
        .run(
            input -> {
              byte[] again = CatalogFormat.tombstoneKey(CatalogFormat.decodeTombstone(input));
              // Tombstone keys are found by their first byte.
              assertThat(Arrays.copyOfRange(again, 1, again.length))
                  .isEqualTo(Arrays.copyOfRange(input, 1, input.length));
            });
  }

  @Test
  void aCleanStopIsRefusedOrReadBack() {
    DecoderFuzz.of(CatalogFormat.encode(new CleanStop(1_795_000_000_000L, 5, 2)))
        .refusing(IOException.class)
        .run(
            input -> {
              CleanStop stop = CatalogFormat.decodeStop(input);
              assertThat(CatalogFormat.decodeStop(CatalogFormat.encode(stop))).isEqualTo(stop);
            });
  }

  @Test
  void damageIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(CatalogFormat.encode(new TreeMap<>(Map.of(70L, 1037, 5_000L, 300))))
        .refusing(IOException.class)
        .run(
            input ->
                assertThat(CatalogFormat.encode(CatalogFormat.decodeDamage(input)))
                    .isEqualTo(input));
  }

  @Test
  void refusesAForeignFormat() {
    DecoderFuzz.of(CatalogFormat.format())
        .refusing(IOException.class)
        .run(CatalogFormat::checkFormat);
  }
}
