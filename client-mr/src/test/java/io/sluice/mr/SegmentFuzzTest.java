package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SegmentFuzzTest {
  @Test
  void aHeaderIsRefusedOrEncodesToTheSame() {
    byte[] right = new byte[Segment.HEADER_BYTES + 3];
    new Segment(3, true, 17).write(right);
    DecoderFuzz.of(right)
        .refusing(SluiceException.class)
        .run(
            input -> {
              ByteBuffer from = ByteBuffer.wrap(input);
              Segment segment = Segment.read(from);
              assertThat(from.position()).isEqualTo(Segment.HEADER_BYTES);
              byte[] again = new byte[Segment.HEADER_BYTES];
              segment.write(again);
              assertThat(again).isEqualTo(Arrays.copyOf(input, Segment.HEADER_BYTES));
            });
  }
}
