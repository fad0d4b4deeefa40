package io.sluice.common.block;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C (Castagnoli) over Netty buffers, including composite buffers. Not thread-safe. */
public final class Crc32c {
  private final CRC32C crc = new CRC32C();

  /**
   * Adds {@code length} bytes from {@code index}. Borrows the buffer; its indexes do not change.
   */
  public void update(ByteBuf buffer, int index, int length) {
    if (length == 0) {
      return;
    }
    if (buffer.hasArray()) {
      crc.update(buffer.array(), buffer.arrayOffset() + index, length);
    } else if (buffer.nioBufferCount() == 1) {
      crc.update(buffer.nioBuffer(index, length));
    } else {
      for (ByteBuffer part : buffer.nioBuffers(index, length)) {
        crc.update(part);
      }
    }
  }

  public void update(byte[] bytes, int offset, int length) {
    crc.update(bytes, offset, length);
  }

  public int value() {
    return (int) crc.getValue();
  }
}
