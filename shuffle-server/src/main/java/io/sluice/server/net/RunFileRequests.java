package io.sluice.server.net;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.proto.RunFileRequest;
import io.sluice.server.disk.Descriptors;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the run file requests of one connection after its handshake, in order. Reading pauses
 * until the client has accepted the answer. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
final class RunFileRequests extends SimpleChannelInboundHandler<ByteBuf> {
  private static final Logger LOG = LoggerFactory.getLogger(RunFileRequests.class);

  private static final int MAX_FILES = 64;

  /** Several small requests may arrive in one read, before reading pauses. */
  private static final int MAX_UNANSWERED = 16;

  private final String application;
  private final Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> opener;
  private final PendingFiles pending;
  private final SentDescriptors sent;
  private final ShortCircuitCounters counters;
  private final Consumer<String> denials;
  private int unanswered;
  // Descriptors carry no name, so they are sent in the order of the requests.
  private CompletableFuture<?> answered = CompletableFuture.completedFuture(null);

  /** Limit of the files that are being opened or sent, of all connections of a user. */
  interface PendingFiles {
    /** Reserves files; false, without effect, beyond the limit. */
    boolean reserve(int files);

    void release(int files);
  }

  /**
   * Descriptors to send.
   *
   * @param placeholder open file whose descriptor is sent for an absent file
   */
  record SentDescriptors(Descriptors numbers, FileChannel placeholder) {}

  /**
   * @param application application of the connection
   * @param opener opens files; never fails
   * @param denials receives the reason for closing the connection
   */
  RunFileRequests(
      String application,
      Function<RunFileRequest, CompletableFuture<List<Optional<FileChannel>>>> opener,
      PendingFiles pending,
      SentDescriptors sent,
      ShortCircuitCounters counters,
      Consumer<String> denials) {
    this.application = application;
    this.opener = opener;
    this.pending = pending;
    this.sent = sent;
    this.counters = counters;
    this.denials = denials;
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
    if (!application.equals(request.getShuffle().getApplication())) {
      refuse(context, "its application differs from that of the connection");
      return;
    }
    int count = request.getNamesCount();
    if (count < 1 || count > MAX_FILES) {
      refuse(context, count + " files, expected 1 to " + MAX_FILES);
      return;
    }
    if (unanswered >= MAX_UNANSWERED) {
      refuse(context, "more than " + MAX_UNANSWERED + " pending requests");
      return;
    }
    // The current read may already contain further requests.
    context.channel().config().setAutoRead(false);
    unanswered++;
    boolean reserved = pending.reserve(count);
    // Beyond the limit, the client fetches the bytes instead.
    CompletableFuture<List<Optional<FileChannel>>> opening =
        reserved
            ? opener.apply(request)
            : CompletableFuture.completedFuture(Collections.nCopies(count, Optional.empty()));
    answered =
        answered.thenCombine(
            opening,
            (done, files) -> {
              answer(context, files, reserved);
              return null;
            });
  }

  private void refuse(ChannelHandlerContext context, String why) {
    denials.accept("request for run files refused: " + why);
    context.close();
  }

  private void answer(
      ChannelHandlerContext context, List<Optional<FileChannel>> files, boolean reserved) {
    try {
      context.executor().execute(() -> send(context, files, reserved));
    } catch (RejectedExecutionException e) {
      // The server is stopping.
      files.forEach(file -> file.ifPresent(RunFileRequests::close));
      if (reserved) {
        pending.release(files.size());
      }
    }
  }

  private void send(
      ChannelHandlerContext context, List<Optional<FileChannel>> files, boolean reserved) {
    ChannelFuture written = null;
    for (Optional<FileChannel> file : files) {
      FileChannel channel = file.orElse(sent.placeholder());
      written = context.write(new FileDescriptor(sent.numbers().of(channel)));
      if (file.isPresent()) {
        counters.fileSent();
        // The kernel has a separate reference when the write completes.
        written.addListener(done -> close(channel));
      } else {
        counters.fileAbsent();
      }
    }
    if (written != null) {
      // Descriptors that the client does not accept stay open here, so it must not request more.
      written.addListener(done -> accepted(context, files.size(), reserved));
    }
    context.flush();
  }

  private void accepted(ChannelHandlerContext context, int files, boolean reserved) {
    if (reserved) {
      pending.release(files);
    }
    unanswered--;
    context.channel().config().setAutoRead(unanswered == 0);
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
    context.close();
  }
}
