package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** A connection of a {@link SocketDataTransport}. Its I/O runs on the loop's thread. */
final class SocketConnection extends FramedConnection {
  private final String server;
  private final SocketLoop loop;
  private final LongSupplier nanoTime;
  private final CompletableFuture<SocketConnection> connected = new CompletableFuture<>();
  private final Queue<OutgoingFrame> outgoing = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sending = new AtomicBoolean();
  private final Runnable sendQueued = this::sendQueued;
  private final Runnable closeSocket = this::closeSocket;
  // Confined to the loop's thread.
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

  /**
   * Completes when the TCP connection is established; fails with {@link ConnectionLostException}.
   */
  CompletableFuture<SocketConnection> connected() {
    return connected;
  }

  /** Starts to connect. */
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
      Optional<InetSocketAddress> local = config().localSocketAddress();
      if (local.isPresent()) {
        channel.bind(local.get());
      }
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

  /** The socket is ready for an operation. */
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

  /** Ends the connection if a timeout has expired. */
  void checkDeadlines() {
    if (!connected.isDone()) {
      if (nanoTime.getAsLong() - connectDeadlineNanos >= 0) {
        end(new IOException("timeout after " + config().connectTimeoutMs() + " ms"));
      }
    } else {
      checkOverdue();
    }
  }

  @Override
  void send(ByteBuf headerAndHead, ByteBuf body) {
    outgoing.add(new OutgoingFrame(headerAndHead, body));
    // One task sends the frames queued by several threads.
    if (sending.compareAndSet(false, true)) {
      loop.execute(sendQueued);
    }
    if (loop.hasEnded()) {
      requests().failAll(new ConnectionLostException("the client is closed"));
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

  /** Later causes are ignored. Idempotent; called by any thread. */
  @Override
  void end(Throwable cause) {
    requests().failAll(cause);
    // No effect if the connection was established.
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
        // The socket is no longer used.
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
