package io.sluice.server.service;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Sets of map attempts as they go over the wire. */
final class AttemptSets {
  private AttemptSets() {}

  static ByteString encode(Roaring64NavigableMap set) {
    try {
      ByteString.Output bytes =
          ByteString.newOutput((int) Math.min(1 << 20, set.serializedSizeInBytes() + 16));
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        set.serializePortable(out);
      }
      return bytes.toByteString();
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot fail", e);
    }
  }

  static Roaring64NavigableMap decode(ByteString bytes) throws SluiceException {
    Roaring64NavigableMap set = new Roaring64NavigableMap();
    try (java.io.DataInputStream in = new java.io.DataInputStream(bytes.newInput())) {
      set.deserializePortable(in);
      if (in.read() >= 0) {
        throw Identifiers.badRequest("wanted_attempts goes on after the bitmap");
      }
      return set;
    } catch (SluiceException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw Identifiers.badRequest(
          "wanted_attempts of " + bytes.size() + " bytes is not a portable 64-bit Roaring bitmap");
    }
  }
}
