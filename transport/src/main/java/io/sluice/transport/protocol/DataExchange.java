package io.sluice.transport.protocol;

import io.grpc.Detachable;
import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * The gRPC method for frames: the bidirectional stream {@code sluice.v1.Data/Exchange}, whose
 * messages are 1 to {@link #MAX_MESSAGE_LENGTH} raw bytes. The first message of a frame begins with
 * its complete header; the head follows in the same and later messages, then the body, if any, in
 * separate messages. gRPC reads a sent message only during the call of {@code sendMessage}; a
 * received message is closed by its receiver.
 */
public final class DataExchange {
  public static final String SERVICE = "sluice.v1.Data";

  /**
   * Maximum length of a message in bytes, and the length of all messages of a head or body except
   * the last one. gRPC buffers a received message outside any memory budget, and copies sent
   * messages, up to two per connection. Larger messages would save a little CPU but use more
   * memory.
   */
  public static final int MAX_MESSAGE_LENGTH = 128 << 10;

  public static final MethodDescriptor<InputStream, InputStream> METHOD =
      MethodDescriptor.<InputStream, InputStream>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Exchange"))
          .setRequestMarshaller(RawBytes.INSTANCE)
          .setResponseMarshaller(RawBytes.INSTANCE)
          .build();

  private DataExchange() {}

  /**
   * A message with a buffer's readable bytes. Borrows {@code bytes} while it is sent; its indexes
   * do not change.
   */
  public static InputStream message(ByteBuf bytes) {
    return new BufferMessage(bytes);
  }

  /**
   * Appends the remaining bytes of a message, as far as {@code target} has room.
   *
   * @return number of appended bytes
   */
  public static int read(InputStream message, ByteBuf target) throws IOException {
    int before = target.writerIndex();
    if (message instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
      // Copies from one off-heap buffer to the other.
      while (target.isWritable()) {
        ByteBuffer part = buffers.getByteBuffer();
        if (part == null || !part.hasRemaining()) {
          break;
        }
        int length = Math.min(part.remaining(), target.writableBytes());
        target.writeBytes(part.limit(part.position() + length));
        skipFully(message, length);
      }
    } else {
      while (target.isWritable() && target.writeBytes(message, target.writableBytes()) > 0) {}
    }
    return target.writerIndex() - before;
  }

  private static void skipFully(InputStream message, int length) throws IOException {
    long left = length;
    while (left > 0) {
      long skipped = message.skip(left);
      if (skipped <= 0) {
        throw new IOException("message is truncated, missing bytes=" + left);
      }
      left -= skipped;
    }
  }

  /**
   * Passes streams through. gRPC closes a received message after the call of the listener, but a
   * call that has not started keeps the message for its listener longer. Therefore the bytes are
   * detached, and the receiver of a message closes it.
   */
  private enum RawBytes implements MethodDescriptor.Marshaller<InputStream> {
    INSTANCE;

    @Override
    public InputStream stream(InputStream value) {
      return value;
    }

    @Override
    public InputStream parse(InputStream stream) {
      if (stream instanceof Detachable detachable) {
        return detachable.detach();
      }
      try {
        return new ByteArrayInputStream(stream.readAllBytes());
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read a received message", e);
      }
    }
  }

  private static final class BufferMessage extends InputStream implements KnownLength, Drainable {
    private final ByteBuf bytes;
    private int at;

    BufferMessage(ByteBuf bytes) {
      this.bytes = bytes;
      this.at = bytes.readerIndex();
    }

    @Override
    public int available() {
      return bytes.writerIndex() - at;
    }

    @Override
    public int read() {
      return available() == 0 ? -1 : bytes.getUnsignedByte(at++);
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (length > 0 && available() == 0) {
        return -1;
      }
      int part = Math.min(length, available());
      bytes.getBytes(at, target, offset, part);
      at += part;
      return part;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int length = available();
      bytes.getBytes(at, target, length);
      at += length;
      return length;
    }
  }
}
