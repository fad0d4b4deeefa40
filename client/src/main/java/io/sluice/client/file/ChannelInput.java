package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A local run file, open in this process. */
final class ChannelInput implements RunFileInput {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelInput.class);

  private final FileChannel channel;

  /**
   * @param channel takes
   */
  ChannelInput(FileChannel channel) {
    this.channel = channel;
  }

  @Override
  public void read(long position, ByteBuf target, int length) throws IOException {
    int left = length;
    while (left > 0) {
      int read = target.writeBytes(channel, position + (length - left), left);
      if (read <= 0) {
        throw new EOFException(
            "run file truncated: offset="
                + (position + (length - left))
                + " expectedBytes="
                + left);
      }
      left -= read;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("closing a run file failed reason={}", e.toString());
    }
  }
}
