package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** A connection of a {@link SocketDataTransport}. What it does runs on the loop's thread. */
final class SocketConnection extends FramedConnection {
  private final String server;
  private final SocketLoop loop;
  private final LongSupplier nanoTime;
  private final CompletableFuture<SocketConnection> connected = new CompletableFuture<>();
  private final Queue<OutgoingFrame> outgoing = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sending = new AtomicBoolean();
  private final Runnable sendQueued = this::sendQueued;
  private final Runnable closeSocket = this::closeSocket;
  // Touched by the loop's thread only.
  private SocketChannel channel;
  private SelectionKey key;
  private SocketFrameReader reader;
  private OutgoingFrame writing;
  private long connectDeadlineNanos;

  SocketConnection(
      String server,
      SocketLoop loop,
      ByteBufAllocator allocator,
      TransportConfig config,
      LongSupplier nanoTime) {
    super(server, allocator, config, nanoTime);
    this.server = server;
    this.loop = loop;
    this.nanoTime = nanoTime;
  }

  /** Completes once there is a TCP connection; fails with {@link ConnectionLostException}. */
  CompletableFuture<SocketConnection> connected() {
    return connected;
  }

  /** Begins to connect. */
  void connect(String host, int port) {
    connectDeadlineNanos =
        nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(config().connectTimeoutMs());
    try {
      InetSocketAddress address = new InetSocketAddress(host, port);
      if (address.isUnresolved()) {
        throw new IOException("unknown host " + host);
      }
      channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      reader = new SocketFrameReader(channel, allocator(), config().limits(), this);
      key = channel.register(loop.selector(), SelectionKey.OP_CONNECT, this);
      if (channel.connect(address)) {
        established();
      }
    } catch (IOException | RuntimeException e) {
      end(e);
    }
  }

  private void established() {
    key.interestOps(SelectionKey.OP_READ);
    connected.complete(this);
  }

  /** The socket has something to say. */
  void ready() {
    try {
      if (key.isValid() && key.isConnectable() && channel.finishConnect()) {
        established();
      }
      if (key.isValid() && key.isReadable() && !reader.read()) {
        end(new ConnectionLostException("the server closed the connection"));
      }
      if (key.isValid() && key.isWritable()) {
        write();
      }
    } catch (IOException | RuntimeException e) {
      end(e);
    }
  }

  /** Gives up what has taken too long. */
  void checkDeadlines() {
    if (!connected.isDone()) {
      if (nanoTime.getAsLong() - connectDeadlineNanos >= 0) {
        end(new IOException("no answer for " + config().connectTimeoutMs() + " ms"));
      }
    } else {
      checkOverdue();
    }
  }

  @Override
  void send(ByteBuf headerAndHead, ByteBuf body) {
    outgoing.add(new OutgoingFrame(headerAndHead, body));
    // One task sends what several threads have queued.
    if (sending.compareAndSet(false, true)) {
      loop.execute(sendQueued);
    }
    if (loop.hasEnded()) {
      requests().failAll(new ConnectionLostException("client closed"));
      dropQueued();
    }
  }

  private void sendQueued() {
    sending.set(false);
    if (!key.isValid()) {
      dropQueued();
    } else if (writing == null) {
      try {
        write();
      } catch (IOException | RuntimeException e) {
        end(e);
      }
    }
  }

  private void write() throws IOException {
    while (true) {
      if (writing == null) {
        writing = outgoing.poll();
        if (writing == null) {
          key.interestOps(SelectionKey.OP_READ);
          return;
        }
      }
      if (!writing.write(channel)) {
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        return;
      }
      writing.release();
      writing = null;
    }
  }

  private void dropQueued() {
    for (OutgoingFrame frame = outgoing.poll(); frame != null; frame = outgoing.poll()) {
      frame.release();
    }
  }

  /** The first cause stays. Idempotent; any thread. */
  @Override
  void end(Throwable cause) {
    requests().failAll(cause);
    // Without effect on one that was established.
    connected.completeExceptionally(
        new ConnectionLostException(
            "server " + server + ": cannot connect: " + cause.getMessage(), cause));
    loop.execute(closeSocket);
  }

  private void closeSocket() {
    if (reader != null) {
      reader.end();
    }
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        // Nothing is expected of it any more.
      }
    }
    if (writing != null) {
      writing.release();
      writing = null;
    }
    dropQueued();
  }

  @Override
  void receiveBody(ByteBuf target) {
    reader.receiveBody(target);
  }

  @Override
  void endReceiving() {
    reader.end();
  }
}
