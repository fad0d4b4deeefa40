package io.sluice.transport.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class AttemptSetsTest {
  private static final ByteString ENCODED =
      AttemptSets.encode(Roaring64NavigableMap.bitmapOf(0, 7, 1L << 40));

  @Test
  void readsBackASet() throws Exception {
    assertThat(AttemptSets.decode(ENCODED).toArray()).containsExactly(0, 7, 1L << 40);
  }

  @Test
  void truncatedAndTooLongInputIsRefused() {
    assertThatThrownBy(() -> AttemptSets.decode(ENCODED.substring(0, ENCODED.size() - 1)))
        .isInstanceOf(IOException.class)
        .hasMessage(ENCODED.size() - 1 + " bytes are not a portable 64-bit Roaring bitmap");
    assertThatThrownBy(() -> AttemptSets.decode(ENCODED.concat(ByteString.copyFromUtf8("x"))))
        .isInstanceOf(IOException.class)
        .hasMessage("unexpected bytes after a portable 64-bit Roaring bitmap");
  }
}
