package io.sluice.metrics.http;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.URISyntaxException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. A request is received and its answer sent before the next request is read, even
 * if the peer has sent more requests. Each step has a deadline, after which the connection is
 * closed. Confined to the event loop of its channel; only answers are created by other threads.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners handle the results.
final class HttpConnection extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(HttpConnection.class);

  private static final byte[] NOTHING = {};
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);

  private final SocketChannel channel;
  private final HttpTimeouts timeouts;
  private final InstantSource clock;
  private final HttpPages pages;
  private final Executor threads;

  private Stage stage = Stage.READING;
  private ScheduledFuture<?> deadline;
  // Of the current request.
  private boolean head;
  private boolean keepAlive;
  private HttpVersion version = HttpVersion.HTTP_1_1;

  /** The event for which the connection waits. */
  private enum Stage {
    /** The rest of a request, or the first request. */
    READING,
    /** The handler's answer. */
    ANSWERING,
    /** The answer to be sent. */
    REPLYING,
    /** The next request. */
    IDLE,
    /** The peer to close the connection. */
    ENDING
  }

  HttpConnection(
      SocketChannel channel,
      HttpTimeouts timeouts,
      InstantSource clock,
      HttpPages pages,
      Executor threads) {
    this.channel = channel;
    this.timeouts = timeouts;
    this.clock = clock;
    this.pages = pages;
    this.threads = threads;
  }

  /** Called once, on the event loop, during the initialization of the channel. */
  void attach() {
    channel
        .pipeline()
        .addLast(
            new ReceivedBytesHandler(),
            new RequestDecoder(),
            new HttpResponseEncoder(),
            new BodyCollector(),
            new FlowControlHandler(),
            this);
    closeAfter(timeouts.requestMs());
  }

  /** First handler: receives bytes before they are decoded. */
  private final class ReceivedBytesHandler extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (stage == Stage.ENDING) {
        ReferenceCountUtil.release(message);
        return;
      }
      if (stage == Stage.IDLE) {
        stage = Stage.READING;
        closeAfter(timeouts.requestMs());
      }
      context.fireChannelRead(message);
    }
  }

  private void closeAfter(int ms) {
    if (deadline != null) {
      deadline.cancel(false);
    }
    deadline = channel.eventLoop().schedule(this::timedOut, ms, TimeUnit.MILLISECONDS);
  }

  private void timedOut() {
    if (stage == Stage.ANSWERING) {
      keepAlive = false;
      send(HttpAnswer.text(503, "timeout while creating the answer; try again later\n"));
      return;
    }
    log.debug("HTTP connection timed out peer={} stage={}", channel.remoteAddress(), stage);
    channel.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    deadline.cancel(false);
    stage = Stage.ENDING;
    context.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    log.debug("HTTP connection failed peer={}", channel.remoteAddress(), cause);
    context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      if (stage == Stage.ENDING) {
        return;
      }
      if (message instanceof FullHttpRequest request) {
        answer(request, ByteBufUtil.getBytes(request.content()), false);
      } else if (message instanceof BodyCollector.Oversized oversized) {
        answer(oversized.request(), NOTHING, true);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void answer(HttpRequest request, byte[] body, boolean bodyTooLong) {
    channel.config().setAutoRead(false);
    stage = Stage.ANSWERING;
    closeAfter(timeouts.answerMs());
    head = request.method().equals(HttpMethod.HEAD);
    version = request.protocolVersion();
    HttpAnswer refusal = Refusals.of(request);
    // Bytes after an invalid or incompletely read request cannot be parsed as a request.
    keepAlive = refusal == null && !bodyTooLong && HttpUtil.isKeepAlive(request);
    if (refusal != null) {
      send(refusal);
      return;
    }
    SslHandler ssl = channel.pipeline().get(SslHandler.class);
    try {
      HttpCall call =
          new HttpCall(
              request.method().name(),
              Refusals.target(request.uri()),
              request.headers(),
              body,
              bodyTooLong,
              ssl == null ? null : ssl.engine().getSession(),
              channel.remoteAddress());
      ScheduledFuture<?> requestDeadline = deadline;
      threads.execute(() -> handle(call, requestDeadline));
    } catch (URISyntaxException e) {
      throw new IllegalStateException("internal error: invalid target was not refused", e);
    } catch (RejectedExecutionException e) {
      keepAlive = false;
      send(HttpAnswer.text(503, "too many queued requests; try again later\n"));
    }
  }

  /**
   * Called on a request thread.
   *
   * @param requestDeadline deadline of the request; the answer is discarded if it is no longer the
   *     current one
   */
  private void handle(HttpCall call, ScheduledFuture<?> requestDeadline) {
    if (requestDeadline.isDone()) {
      return;
    }
    CompletionStage<HttpAnswer> answer;
    try {
      answer = pages.answer(call);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedStage(e);
    }
    // An answer that completes later is compressed on a request thread, not on the completing one.
    CompletionStage<HttpAnswer> encoded =
        answer.toCompletableFuture().isDone()
            ? answer.thenApply(result -> Gzip.encoded(call, result))
            : answer.thenApplyAsync(result -> Gzip.encoded(call, result), threads);
    encoded.whenComplete(
        (result, failure) -> {
          if (failure != null) {
            log.error("HTTP request failed path={}", call.path(), failure);
          }
          HttpAnswer sent =
              failure == null
                  ? result
                  : HttpAnswer.text(500, "internal error; see the log of the process\n");
          channel.eventLoop().execute(() -> answered(sent, requestDeadline));
        });
  }

  private void answered(HttpAnswer answer, ScheduledFuture<?> requestDeadline) {
    if (stage == Stage.ANSWERING && deadline == requestDeadline) {
      send(answer);
    }
  }

  private void send(HttpAnswer answer) {
    stage = Stage.REPLYING;
    closeAfter(timeouts.replyMs());
    HttpResponseStatus status = HttpResponseStatus.valueOf(answer.status());
    boolean unchanged = status.equals(HttpResponseStatus.NOT_MODIFIED);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            head || unchanged ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(answer.body()));
    answer.headers().forEach(response.headers()::set);
    response.headers().set(HttpHeaderNames.DATE, DATE.format(clock.instant()));
    if (!keepAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (!version.isKeepAliveDefault()) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    if (!unchanged) {
      HttpUtil.setContentLength(response, answer.body().length);
    }
    channel
        .writeAndFlush(response)
        .addListener(
            sent -> {
              if (!sent.isSuccess()) {
                channel.close();
              } else if (keepAlive) {
                next();
              } else {
                end();
              }
            });
  }

  private void next() {
    stage = Stage.IDLE;
    closeAfter(timeouts.idleMs());
    channel.config().setAutoRead(true);
  }

  /**
   * Closes the connection so that the peer can read the answer. A socket that is closed with unread
   * bytes is reset, and the reset can discard sent data. Therefore only the output is shut down
   * first.
   */
  private void end() {
    stage = Stage.ENDING;
    closeAfter(timeouts.lingerMs());
    SslHandler ssl = channel.pipeline().get(SslHandler.class);
    ChannelFuture closed = ssl == null ? channel.newSucceededFuture() : ssl.closeOutbound();
    closed.addListener(
        done -> {
          channel.shutdownOutput();
          channel.config().setAutoRead(true);
        });
  }
}
