package io.bulwark.console.live;

import io.bulwark.client.error.LimitReachedException;
import io.bulwark.client.error.Subject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The open streams of server-sent events. Their number is bounded, for all and for each session. A stream ends with its session, after
 * {@link #LIFE} (the browser opens it again and shows its rights anew), and when the console stops. A reader that does not read holds up
 * its own thread alone.
 */
@Component
public class EventStreams implements HttpSessionListener, SmartLifecycle {
    static final int STREAMS_MAX = 256;
    static final int STREAMS_OF_ONE_MAX = 16;
    static final Duration LIFE = Duration.ofMinutes(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);

    private final Set<Stream> open = new HashSet<>();
    private boolean running;

    private final class Stream implements Runnable {
        private final String owner;
        private final EventSource source;
        private final SseEmitter emitter = new SseEmitter(LIFE.toMillis());
        private final Thread thread = Thread.ofVirtual().name("events").unstarted(this);

        private Stream(String owner, EventSource source) {
            this.owner = owner;
            this.source = source;
            emitter.onCompletion(this::end);
            emitter.onError(_ -> end());
            emitter.onTimeout(this::end);
        }

        @Override
        public void run() {
            try {
                emitter.send(SseEmitter.event().comment("open"));
                while (!source.isOver()) {
                    Optional<EventSource.Event> next = source.next(HEARTBEAT);
                    emitter.send(next.map(Stream::built)
                            .orElseGet(() -> SseEmitter.event().comment("idle")));
                }
            } catch (InterruptedException e) {
                // It was ended.
            } catch (IOException | IllegalStateException e) {
                LOG.debug("a stream of events ended: {}", e.toString());
            } finally {
                forget(this);
                emitter.complete();
            }
        }

        private static SseEmitter.SseEventBuilder built(EventSource.Event event) {
            return SseEmitter.event()
                    .name(event.name())
                    .id(Long.toString(event.id()))
                    .data(event.data(), MediaType.APPLICATION_JSON);
        }

        private void end() {
            thread.interrupt();
        }
    }

    /**
     * Opens a stream for the person who sent a request.
     *
     * @throws LimitReachedException if too many are open
     */
    public SseEmitter open(HttpServletRequest request, EventSource source) {
        Stream stream = new Stream(owner(request), source);
        synchronized (this) {
            long own = open.stream()
                    .filter(each -> each.owner.equals(stream.owner))
                    .count();
            if (open.size() >= STREAMS_MAX || own >= STREAMS_OF_ONE_MAX) {
                throw new LimitReachedException("too many streams of events are open; close some pages", Subject.NONE);
            }
            open.add(stream);
        }
        stream.thread.start();
        return stream.emitter;
    }

    /** Returns how many streams are open. */
    public synchronized int count() {
        return open.size();
    }

    @Override
    public void sessionDestroyed(HttpSessionEvent event) {
        String owner = "session " + event.getSession().getId();
        streams().stream().filter(stream -> stream.owner.equals(owner)).forEach(Stream::end);
    }

    @Override
    public synchronized void start() {
        running = true;
    }

    /** Ends all streams, before the web server waits for its requests to end. */
    @Override
    public void stop() {
        streams().forEach(Stream::end);
        synchronized (this) {
            running = false;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    private synchronized List<Stream> streams() {
        return List.copyOf(open);
    }

    private synchronized void forget(Stream stream) {
        open.remove(stream);
    }

    private static String owner(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        return session == null ? "person " + request.getRemoteUser() : "session " + session.getId();
    }
}
