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
 * One connection: a request is read, answered and the answer sent, and then the next one is read,
 * however many the peer has sent already. Each step has a deadline, after which the connection is
 * closed. Owned by the event loop of its channel; only answers are made elsewhere.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Listeners see what futures bring.
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
  // Of the request that is answered.
  private boolean head;
  private boolean keepAlive;
  private HttpVersion version = HttpVersion.HTTP_1_1;

  /** What the connection waits for. */
  private enum Stage {
    /** The rest of a request, or the first one. */
    READING,
    /** An answer. */
    ANSWERING,
    /** That the peer takes the answer. */
    REPLYING,
    /** Another request. */
    IDLE,
    /** That the peer closes. */
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

  /** Called once, on the event loop, while the channel is made. */
  void attach() {
    channel
        .pipeline()
        .addLast(
            new Arrivals(),
            new RequestDecoder(),
            new HttpResponseEncoder(),
            new BodyCollector(),
            new FlowControlHandler(),
            this);
    closeAfter(timeouts.requestMs());
  }

  /** Sees bytes before they are requests. */
  private final class Arrivals extends ChannelInboundHandlerAdapter {
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
      send(HttpAnswer.text(503, "no answer in time; try again later\n"));
      return;
    }
    log.debug("connection closed peer={} waitedFor={}", channel.remoteAddress(), stage);
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
    log.debug("connection broke peer={}", channel.remoteAddress(), cause);
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
    // What follows something that was not understood, or not read to its end, is no request.
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
      ScheduledFuture<?> mine = deadline;
      threads.execute(() -> ask(call, mine));
    } catch (URISyntaxException e) {
      throw new IllegalStateException("refused before", e);
    } catch (RejectedExecutionException e) {
      keepAlive = false;
      send(HttpAnswer.text(503, "too many requests wait; try again later\n"));
    }
  }

  /**
   * On a thread that makes answers.
   *
   * @param mine the deadline of the request; when another one counts, nobody waits for this answer
   */
  private void ask(HttpCall call, ScheduledFuture<?> mine) {
    if (mine.isDone()) {
      return;
    }
    CompletionStage<HttpAnswer> answer;
    try {
      answer = pages.answer(call);
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedStage(e);
    }
    // Whoever completes it later has other work than to compress it.
    CompletionStage<HttpAnswer> encoded =
        answer.toCompletableFuture().isDone()
            ? answer.thenApply(made -> Gzip.encoded(call, made))
            : answer.thenApplyAsync(made -> Gzip.encoded(call, made), threads);
    encoded.whenComplete(
        (made, failure) -> {
          if (failure != null) {
            log.error("page failed path={}", call.path(), failure);
          }
          HttpAnswer sent =
              failure == null ? made : HttpAnswer.text(500, "this page failed; the log says why\n");
          channel.eventLoop().execute(() -> answered(sent, mine));
        });
  }

  private void answered(HttpAnswer answer, ScheduledFuture<?> mine) {
    if (stage == Stage.ANSWERING && deadline == mine) {
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
   * Closes so that the peer can read the answer: a socket that is closed with unread bytes in it is
   * reset, and the reset overtakes what was sent last. So only the sending side is shut at first.
   */
  private void end() {
    stage = Stage.ENDING;
    closeAfter(timeouts.lingerMs());
    SslHandler ssl = channel.pipeline().get(SslHandler.class);
    ChannelFuture said = ssl == null ? channel.newSucceededFuture() : ssl.closeOutbound();
    said.addListener(
        done -> {
          channel.shutdownOutput();
          channel.config().setAutoRead(true);
        });
  }
}
