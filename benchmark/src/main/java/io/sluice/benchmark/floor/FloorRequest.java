package io.sluice.benchmark.floor;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * First bytes of a connection to the minimal server: 13 bytes, big-endian.
 *
 * <pre>
 *  at size field
 *   0    1 work         code of Work
 *   1    4 file         number of the file
 *   5    4 frameLength  bytes of a frame
 *   9    4 frames       number of frames
 * </pre>
 *
 * <p>The client then sends the frames, each of which is answered with one byte. If the server sends
 * the frames ({@link Work#isFetch}), the client sends one byte for each frame.
 */
record FloorRequest(Work work, int file, int frameLength, int frames) {
  static final int LENGTH = 13;
  static final int MAX_FRAME_LENGTH = 64 << 20;

  /** Work of the server for each frame. */
  enum Work {
    /** Receive the frame into memory. */
    RECEIVE(0),
    /** Receive the frame into memory, and compute its CRC32C. */
    RECEIVE_CRC(1),
    /** Receive the frame, and append it to a file. */
    WRITE(2),
    /** Send the frame from a file. */
    SEND(3),
    /** Receive the frame into memory that is not in the caches, and compute its CRC32C. */
    KEEP(4),
    /** Read the frame from a file into memory, and send it from there. */
    SEND_COPY(5);

    private final int code;

    Work(int code) {
      this.code = code;
    }

    /** Whether the server sends the frames. */
    boolean isFetch() {
      return this == SEND || this == SEND_COPY;
    }

    private static Work of(int code) throws IOException {
      for (Work work : values()) {
        if (work.code == code) {
          return work;
        }
      }
      throw new IOException("request: unknown work " + code);
    }
  }

  FloorRequest {
    if (file < 0 || frames < 1 || frameLength < 1 || frameLength > MAX_FRAME_LENGTH) {
      throw new IllegalArgumentException(
          "request: expected file of at least 0, frames of at least 1, frameLength of 1 to "
              + MAX_FRAME_LENGTH
              + ", found file="
              + file
              + " frames="
              + frames
              + " frameLength="
              + frameLength);
    }
  }

  /** Bytes of all frames. */
  long bytes() {
    return (long) frameLength * frames;
  }

  /** Returns the encoded request, ready to be written. */
  ByteBuffer encode() {
    return ByteBuffer.allocate(LENGTH)
        .put((byte) work.code)
        .putInt(file)
        .putInt(frameLength)
        .putInt(frames)
        .flip();
  }

  /**
   * Reads a request.
   *
   * @throws IOException if the bytes are no request
   */
  static FloorRequest read(ReadableByteChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    readFully(channel, bytes);
    bytes.flip();
    Work work = Work.of(bytes.get());
    try {
      return new FloorRequest(work, bytes.getInt(), bytes.getInt(), bytes.getInt());
    } catch (IllegalArgumentException wrong) {
      throw new IOException(wrong.getMessage(), wrong);
    }
  }

  /** Fills the buffer. */
  static void readFully(ReadableByteChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("connection closed " + buffer.remaining() + " bytes too early");
      }
    }
  }
}
