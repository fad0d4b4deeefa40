package io.sluice.common.frame;

import com.google.protobuf.ByteString;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Sets of map attempts as they stand in heads: portable 64-bit Roaring bitmaps. */
public final class AttemptSets {
  private AttemptSets() {}

  public static ByteString encode(Roaring64NavigableMap set) {
    ByteString.Output bytes =
        ByteString.newOutput((int) Math.min(1 << 20, set.serializedSizeInBytes() + 16));
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      set.serializePortable(out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot fail", e);
    }
    return bytes.toByteString();
  }

  /**
   * Reads a set that a peer wrote.
   *
   * @throws IOException they are something else
   */
  public static Roaring64NavigableMap decode(ByteString bytes) throws IOException {
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    try (DataInputStream in = new DataInputStream(bytes.newInput())) {
      set.deserializePortable(in);
      if (in.read() < 0) {
        return set;
      }
    } catch (IOException | RuntimeException e) {
      throw new IOException(bytes.size() + " bytes are not a portable 64-bit Roaring bitmap", e);
    }
    throw new IOException("a portable 64-bit Roaring bitmap goes on after its end");
  }
}
