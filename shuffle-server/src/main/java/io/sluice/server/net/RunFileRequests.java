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
 * Handles the run file requests of one connection, in order; reading pauses until a request is
 * answered. A connection belongs to one application. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class RunFileRequests extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(RunFileRequests.class);

  /**
   * Enough for 64 names of 38 bytes, an application id of 256 bytes, a token of 424 bytes and a
   * MAC.
   */
  static final int MAX_REQUEST_BYTES = 8 << 10;

  private static final int MAX_FILES = 64;

  /** Several small requests may arrive in one read, before reading pauses. */
  private static final int MAX_UNANSWERED = 16;

  private static final Path PLACEHOLDER = Path.of("/dev/null");

  private final Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> opener;
  private final Check check;
  private final Descriptors descriptors;
  private final ShortCircuitCounters counters;
  private final Consumer<String> denials;
  private String application;
  private int unanswered;
  // Descriptors carry no name, so they are sent in the order of the requests.
  private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

  /** Authorizes the first request of a connection. */
  @FunctionalInterface
  interface Check {
    /**
     * @throws SluiceException if the request is denied
     */
    void accept(RunFileRequest request) throws SluiceException;
  }

  /**
   * @param opener opens files; never fails
   * @param check authorizes the first request of the connection
   * @param denials receives the reason for closing the connection
   */
  RunFileRequests(
      Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> opener,
      Check check,
      Descriptors descriptors,
      ShortCircuitCounters counters,
      Consumer<String> denials) {
    this.opener = opener;
    this.check = check;
    this.descriptors = descriptors;
    this.counters = counters;
    this.denials = denials;
  }

  /** Splits the byte stream into requests. */
  static ChannelHandler decoder() {
    return new LengthFieldBasedFrameDecoder(
        ByteOrder.LITTLE_ENDIAN, MAX_REQUEST_BYTES + 4, 0, 4, 0, 4, true);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
    if (!context.channel().isActive()) {
      // It arrived together with a request that was refused.
      return;
    }
    RunFileRequest request;
    try {
      request = RunFileRequest.parseFrom(new ByteBufInputStream(message));
    } catch (InvalidProtocolBufferException e) {
      refuse(context, "invalid message: " + e.getMessage());
      return;
    } catch (IOException e) {
      throw new IllegalStateException("I/O error while reading a buffer in memory", e);
    }
    String requested = request.getShuffle().getApplication();
    if (application == null) {
      try {
        check.accept(request);
      } catch (SluiceException e) {
        refuse(context, e.getMessage());
        return;
      }
      application = requested;
    }
    if (!application.equals(requested)) {
      refuse(context, "its application differs from that of the connection's first request");
      return;
    }
    if (request.getNamesCount() < 1 || request.getNamesCount() > MAX_FILES) {
      refuse(context, request.getNamesCount() + " files, expected 1 to " + MAX_FILES);
      return;
    }
    if (unanswered >= MAX_UNANSWERED) {
      refuse(context, "more than " + MAX_UNANSWERED + " pending requests");
      return;
    }
    // The current read may already contain further requests.
    context.channel().config().setAutoRead(false);
    unanswered++;
    answered =
        answered.thenCombine(
            opener.apply(request),
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
        channel = file.isPresent() ? file.get() : openPlaceholder();
      } catch (IOException e) {
        LOG.warn(
            "cannot answer a request for run files, closing the connection problem=\"{}\"",
            e.toString());
        context.close();
        continue;
      }
      if (file.isPresent()) {
        counters.fileSent();
      } else {
        counters.fileAbsent();
      }
      ChannelFuture written = context.write(new FileDescriptor(descriptors.of(channel)));
      // The kernel has a separate reference when the write completes.
      written.addListener(done -> close(channel));
    }
    context.flush();
    unanswered--;
    context.channel().config().setAutoRead(unanswered == 0);
  }

  /** Opens the placeholder that is sent for an absent file. */
  private static FileChannel openPlaceholder() throws IOException {
    return FileChannel.open(PLACEHOLDER, StandardOpenOption.READ);
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("cannot close a run file after sending its descriptor problem=\"{}\"", e.toString());
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
