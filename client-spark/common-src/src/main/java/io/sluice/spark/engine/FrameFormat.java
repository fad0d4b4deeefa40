package io.sluice.spark.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Format of a map output file of an engine: every partition is a sequence of frames, each with a
 * header that has its length. A block has whole frames, so that readers can decode blocks in any
 * order. Thread-safe.
 */
public interface FrameFormat {
  /** Bytes of the header of a frame. */
  int headerBytes();

  /**
   * Length of a frame with its header, in bytes.
   *
   * @param header borrows: {@link #headerBytes} bytes
   * @throws IOException if the bytes are no header
   */
  long frameBytes(ByteBuffer header) throws IOException;

  /**
   * Opens the bytes of one partition in a map output file.
   *
   * @param stored takes: the bytes in the file
   * @return owned by the caller: the frames
   */
  InputStream open(InputStream stored);
}
