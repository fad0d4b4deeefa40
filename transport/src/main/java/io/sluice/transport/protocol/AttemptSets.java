package io.sluice.transport.protocol;

import com.google.protobuf.ByteString;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Sets of map attempts in heads of frames: portable 64-bit Roaring bitmaps. */
public final class AttemptSets {
  /** Four bytes of the high half, and a bitmap without containers. */
  private static final int MIN_HIGH_HALF_LENGTH = 12;

  /** Tree entry, key, bitmap, and arrays of four containers. */
  private static final int HIGH_HALF_HEAP_BYTES = 200;

  /** A container of one value has 10 encoded bytes and 54 bytes of heap. */
  private static final int HEAP_BYTES_PER_BYTE = 6;

  private AttemptSets() {}

  public static ByteString encode(Roaring64NavigableMap set) {
    ByteString.Output bytes =
        ByteString.newOutput((int) Math.min(1 << 20, set.serializedSizeInBytes() + 16));
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      set.serializePortable(out);
    } catch (IOException e) {
      throw new UncheckedIOException("internal error: writing to memory failed", e);
    }
    return bytes.toByteString();
  }

  /**
   * Upper bound of the heap of a decoded set in bytes, computed from its encoded form: a high half
   * of 12 bytes becomes a tree entry and an empty bitmap, a container of 10 bytes becomes two
   * objects. Dense sets use about as much heap as encoded bytes.
   */
  public static long decodedBytes(ByteString bytes) {
    long claimed = 0;
    for (int i = Math.min(Long.BYTES, bytes.size()) - 1; i >= 0; i--) {
      claimed = claimed << 8 | (bytes.byteAt(i) & 0xFF);
    }
    long possible = 1L + bytes.size() / MIN_HIGH_HALF_LENGTH;
    long highHalves = claimed < 0 ? possible : Math.min(claimed, possible);
    return highHalves * HIGH_HALF_HEAP_BYTES + (long) bytes.size() * HEAP_BYTES_PER_BYTE;
  }

  /**
   * Decodes a set received from a peer.
   *
   * @throws IOException if the bytes are not a valid set
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
    throw new IOException("unexpected bytes after a portable 64-bit Roaring bitmap");
  }
}
