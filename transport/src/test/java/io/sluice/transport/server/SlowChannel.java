package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DuplexChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** A channel whose peer receives a number of bytes set by the test. */
final class SlowChannel extends EmbeddedChannel implements DuplexChannel {
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private final ChannelConfig config =
      new DefaultChannelConfig(this) {
        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
          if (option.equals(EpollChannelOption.TCP_CORK)) {
            wholeSegments = (Boolean) value;
            return true;
          }
          return super.setOption(option, value);
        }
      };
  private long room;
  private boolean wholeSegments;
  private boolean outputShutdown;

  @Override
  public ChannelConfig config() {
    // Null in the constructor of the superclass.
    return config == null ? super.config() : config;
  }

  /** Whether the socket would send whole segments only. */
  boolean sendsWholeSegments() {
    return wholeSegments;
  }

  /** The peer receives {@code bytes} more bytes. */
  void receive(long bytes) {
    room += bytes;
    flush();
  }

  /** The peer receives all bytes. */
  void receiveAll() {
    receive(Long.MAX_VALUE / 2);
  }

  byte[] received() {
    return received.toByteArray();
  }

  long receivedBytes() {
    return received.size();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) throws Exception {
    while (room > 0) {
      Object message = out.current();
      if (message == null) {
        return;
      }
      if (message instanceof ByteBuf buffer) {
        int length = (int) Math.min(room, buffer.readableBytes());
        buffer.readBytes(received, length);
        room -= length;
        out.progress(length);
        if (!buffer.isReadable()) {
          out.remove();
        }
      } else {
        send((FileRegion) message, out);
      }
    }
  }

  private void send(FileRegion region, ChannelOutboundBuffer out) throws IOException {
    long sent = region.transferTo(new Limited(), region.transferred());
    out.progress(sent);
    if (region.transferred() == region.count()) {
      out.remove();
    }
  }

  private final class Limited implements WritableByteChannel {
    @Override
    public int write(ByteBuffer bytes) {
      int length = (int) Math.min(room, bytes.remaining());
      byte[] part = new byte[length];
      bytes.get(part);
      received.writeBytes(part);
      room -= length;
      return length;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  @Override
  public boolean isInputShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return newSucceededFuture();
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return promise.setSuccess();
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShutdown;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    outputShutdown = true;
    return newSucceededFuture();
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    outputShutdown = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public ChannelFuture shutdown() {
    return close();
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    return close(promise);
  }
}
