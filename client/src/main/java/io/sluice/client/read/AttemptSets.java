package io.sluice.client.read;

import com.google.protobuf.ByteString;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Sets of map attempts as they go over the wire: portable 64-bit Roaring bitmaps. */
final class AttemptSets {
  private AttemptSets() {}

  static ByteString encode(Roaring64NavigableMap set) {
    ByteString.Output bytes = ByteString.newOutput();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      set.serializePortable(out);
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory cannot be written", e);
    }
    return bytes.toByteString();
  }

  /**
   * @throws IOException they are something else
   */
  static Roaring64NavigableMap decode(ByteString bytes) throws IOException {
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    try (DataInputStream in = new DataInputStream(bytes.newInput())) {
      set.deserializePortable(in);
      return set;
    } catch (IOException | RuntimeException e) {
      throw new IOException(bytes.size() + " bytes are not a portable Roaring bitmap", e);
    }
  }
}
