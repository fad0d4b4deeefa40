package io.sluice.client.file;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.ReferenceCountUtil;
import io.sluice.proto.RunFileRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A connection to a server's short circuit: requests go out in order, and each is answered by one
 * descriptor. Its state belongs to the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners see what futures bring.
final class DescriptorConnection {
  /** A server that has the file open answers in well under a millisecond. */
  private static final int TIMEOUT_MS = 5_000;

  private final EventLoop eventLoop;
  private final ChannelFuture connected;
  private final Channel channel;
  private final Deque<CompletableFuture<FileDescriptor>> waiting = new ArrayDeque<>();
  private boolean closed;

  /** Connects; requests may be made at once, and fail if there is nobody. */
  DescriptorConnection(EventLoop eventLoop, String path) {
    this.eventLoop = eventLoop;
    connected =
        new Bootstrap()
            .group(eventLoop)
            .channel(EpollDomainSocketChannel.class)
            .option(
                EpollChannelOption.DOMAIN_SOCKET_READ_MODE, DomainSocketReadMode.FILE_DESCRIPTORS)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel made) {
                    made.pipeline().addLast(new Receiver());
                  }
                })
            .connect(new DomainSocketAddress(path));
    this.channel = connected.channel();
    connected.addListener(
        done -> {
          if (!done.isSuccess()) {
            closed = true;
          }
        });
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  /** Asks for one file. The descriptor belongs to who takes it from the result. */
  CompletableFuture<FileDescriptor> request(RunFileRequest request) {
    CompletableFuture<FileDescriptor> answer = new CompletableFuture<>();
    // At once if it is connected; in order in any case, on the event loop.
    connected.addListener(done -> send(request, answer));
    return answer;
  }

  private void send(RunFileRequest request, CompletableFuture<FileDescriptor> answer) {
    if (closed || !channel.isActive()) {
      answer.completeExceptionally(
          connected.isSuccess()
              ? new IOException("connection closed")
              : new IOException("cannot connect: " + connected.cause().getMessage()));
      return;
    }
    waiting.addLast(answer);
    byte[] bytes = request.toByteArray();
    ByteBuf frame = channel.alloc().directBuffer(4 + bytes.length);
    frame.writeIntLE(bytes.length).writeBytes(bytes);
    channel.writeAndFlush(frame);
    eventLoop.schedule(
        () -> {
          if (!answer.isDone()) {
            // Later answers could no longer be told apart.
            failAll(new IOException("no answer for " + TIMEOUT_MS + " ms"));
          }
        },
        TIMEOUT_MS,
        TimeUnit.MILLISECONDS);
  }

  /** Ends the connection. Idempotent. */
  void close() {
    channel.close();
  }

  private void failAll(IOException why) {
    closed = true;
    channel.close();
    while (!waiting.isEmpty()) {
      waiting.removeFirst().completeExceptionally(why);
    }
  }

  private final class Receiver extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
      if (!(message instanceof FileDescriptor descriptor)) {
        ReferenceCountUtil.release(message);
        failAll(new IOException("the server sent bytes, expected descriptors"));
        return;
      }
      CompletableFuture<FileDescriptor> answer = waiting.pollFirst();
      if (answer == null || !answer.complete(descriptor)) {
        descriptor.close();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      failAll(new IOException("connection closed by the server"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      failAll(new IOException("connection failed: " + cause.getMessage(), cause));
    }
  }
}
