package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class AttemptSetsFuzzTest {
  private static byte[] encoded(LongStream attempts) {
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    attempts.forEach(set::addLong);
    set.runOptimize();
    return AttemptSets.encode(set).toByteArray();
  }

  @Test
  void aSetIsRefusedOrUsable() {
    DecoderFuzz.of(
            encoded(LongStream.empty()),
            encoded(LongStream.of(0, 1, 7, 1L << 40)),
            encoded(LongStream.range(3, 5_000)),
            encoded(new Random(1).longs(6_000, 0, 60_000)))
        .refusing(IOException.class)
        // A bitmap has at most 65536 containers; their array is allocated before they are read.
        .allocating(8 << 20, 64)
        .run(
            input -> {
              Roaring64NavigableMap set = AttemptSets.decode(ByteString.copyFrom(input));
              for (long attempt = 1; attempt > 0; attempt <<= 1) {
                boolean unused = set.contains(attempt - 1) ^ set.contains(attempt);
              }
              assertThat(set.getLongCardinality()).isNotNegative();
            });
  }
}
