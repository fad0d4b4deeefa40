package io.sluice.server.net;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.RunFileRequest;
import io.sluice.server.disk.Descriptors;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's requests for run files, one after the other; the next is not read before the last
 * was answered. A connection works for one application. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Nothing is left to do if closing fails.
final class RunFileRequests extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(RunFileRequests.class);

  /** 64 names of 38 bytes, an application of 256, a token of 424 and a MAC, with room to spare. */
  static final int MAX_REQUEST_BYTES = 8 << 10;

  private static final int MAX_FILES = 64;

  /** Several small ones may come at once, before reading pauses. */
  private static final int MAX_UNANSWERED = 16;

  private static final Path NOTHING = Path.of("/dev/null");

  private final Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> handout;
  private final Check check;
  private final Descriptors descriptors;
  private final ShortCircuitCounters counters;
  private final Consumer<String> denials;
  private String application;
  private int unanswered;
  // Descriptors carry no name: they go out in the order of the requests, however long one takes.
  private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

  /** Whether a connection may begin with a request. */
  @FunctionalInterface
  interface Check {
    /**
     * @throws SluiceException why not
     */
    void accept(RunFileRequest request) throws SluiceException;
  }

  /**
   * @param handout opens files; never fails
   * @param check of a connection's first request
   * @param denials told why a connection was closed
   */
  RunFileRequests(
      Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> handout,
      Check check,
      Descriptors descriptors,
      ShortCircuitCounters counters,
      Consumer<String> denials) {
    this.handout = handout;
    this.check = check;
    this.descriptors = descriptors;
    this.counters = counters;
    this.denials = denials;
  }

  /** Cuts the stream into requests. */
  static ChannelHandler decoder() {
    return new LengthFieldBasedFrameDecoder(
        ByteOrder.LITTLE_ENDIAN, MAX_REQUEST_BYTES + 4, 0, 4, 0, 4, true);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
    if (!context.channel().isActive()) {
      // It came together with a request that was refused.
      return;
    }
    RunFileRequest request;
    try {
      request = RunFileRequest.parseFrom(new ByteBufInputStream(message));
    } catch (InvalidProtocolBufferException e) {
      refuse(context, "it cannot be parsed: " + e.getMessage());
      return;
    } catch (IOException e) {
      throw new IllegalStateException("a buffer in memory was read", e);
    }
    String asks = request.getShuffle().getApplication();
    if (application == null) {
      try {
        check.accept(request);
      } catch (SluiceException e) {
        refuse(context, e.getMessage());
        return;
      }
      application = asks;
    }
    if (!application.equals(asks)) {
      refuse(context, "it names another application than the connection's first request");
      return;
    }
    if (request.getNamesCount() < 1 || request.getNamesCount() > MAX_FILES) {
      refuse(context, request.getNamesCount() + " files, expected 1 to " + MAX_FILES);
      return;
    }
    if (unanswered >= MAX_UNANSWERED) {
      refuse(context, "more than " + MAX_UNANSWERED + " requests at a time");
      return;
    }
    // Some more may have been read with this one.
    context.channel().config().setAutoRead(false);
    unanswered++;
    answered =
        answered.thenCombine(
            handout.apply(request),
            (done, files) -> {
              answer(context, files);
              return null;
            });
  }

  private void refuse(ChannelHandlerContext context, String why) {
    denials.accept("request for run files refused: " + why);
    context.close();
  }

  private void answer(ChannelHandlerContext context, List<Optional<FileChannel>> files) {
    try {
      context.executor().execute(() -> send(context, files));
    } catch (RejectedExecutionException e) {
      // The server is stopping.
      files.forEach(file -> file.ifPresent(RunFileRequests::close));
    }
  }

  private void send(ChannelHandlerContext context, List<Optional<FileChannel>> files) {
    for (Optional<FileChannel> file : files) {
      FileChannel channel;
      try {
        channel = file.isPresent() ? file.get() : openNothing();
      } catch (IOException e) {
        LOG.warn("cannot answer a request for run files problem={}", e.toString());
        context.close();
        continue;
      }
      if (file.isPresent()) {
        counters.handedOut();
      } else {
        counters.absent();
      }
      ChannelFuture written = context.write(new FileDescriptor(descriptors.of(channel)));
      // The kernel has its own reference by then.
      written.addListener(done -> close(channel));
    }
    context.flush();
    unanswered--;
    context.channel().config().setAutoRead(unanswered == 0);
  }

  /** What is sent in place of a file that is not there. */
  private static FileChannel openNothing() throws IOException {
    return FileChannel.open(NOTHING, StandardOpenOption.READ);
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("run file that was handed out is not closed problem={}", e.toString());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("short circuit connection failed", cause);
    if (cause instanceof TooLongFrameException) {
      denials.accept("request for run files of more than " + MAX_REQUEST_BYTES + " bytes");
    }
    context.close();
  }
}
