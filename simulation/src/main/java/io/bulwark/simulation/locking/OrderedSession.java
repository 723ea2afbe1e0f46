package io.bulwark.simulation.locking;

import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A session of a client with the replicas: opens itself, numbers commands, and is over once a reply says so. */
final class OrderedSession {
    private final Party party;
    private final UnaryOperator<Submission.InSession> signing;
    private final int volume;
    private final Deque<Runnable> opening = new ArrayDeque<>();
    private final Map<Long, Consumer<Reply>> expected = new HashMap<>();
    private @Nullable SessionCommands commands;
    private long number;
    private long ttlMillis;
    private long renewedMillis;
    private long lastToken;
    private boolean isOpening;
    private boolean isLost;

    /** @param volume 0 for commands without blocks and locks */
    OrderedSession(Party party, int volume) {
        this(party, volume, UnaryOperator.identity());
    }

    /** @param signing signs commands of operators */
    OrderedSession(Party party, int volume, UnaryOperator<Submission.InSession> signing) {
        this.party = party;
        this.volume = volume;
        this.signing = signing;
    }

    long number() {
        return number;
    }

    boolean isLost() {
        return isLost;
    }

    void submit(Command command, Consumer<Reply> then) {
        if (commands == null) {
            opening.add(() -> submit(command, then));
            open();
            return;
        }
        expected.put(++lastToken, then);
        commands.add(lastToken, command);
        flush(commands);
    }

    private void flush(SessionCommands numbering) {
        for (var next = numbering.next(); next.isPresent(); next = numbering.next()) {
            SessionCommands.NumberedCommand numbered = next.get();
            party.submit(signing.apply(numbered.submission()), reply -> {
                numbering.done(numbered.submission().number());
                isLost |= reply instanceof Reply.Failed failed && SessionCommands.isLost(failed);
                Consumer<Reply> then = expected.remove(numbered.token());
                if (then != null) {
                    then.accept(reply);
                }
                flush(numbering);
            });
        }
    }

    private void open() {
        if (isOpening) {
            return;
        }
        isOpening = true;
        byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
        party.random().nextBytes(nonce);
        party.submit(new Submission.OpenSession(Bytes.of(nonce), volume), reply -> {
            isOpening = false;
            if (reply instanceof Reply.SessionOpened opened) {
                number = opened.session();
                ttlMillis = opened.ttlMillis();
                renewedMillis = party.nowMillis();
                commands = new SessionCommands(number);
                Deque<Runnable> waiting = new ArrayDeque<>(opening);
                opening.clear();
                waiting.forEach(Runnable::run);
            } else {
                // Too many sessions are open; or this client is revoked, and waits for ever.
                party.later(500, this::open);
            }
        });
    }

    /** Called now and then. */
    void renew() {
        if (commands != null
                && !isLost
                && party.nowMillis() - renewedMillis >= SessionCommands.renewAfterMillis(ttlMillis)) {
            renewedMillis = party.nowMillis();
            submit(new Command.RenewSession(), reply -> {});
        }
    }
}
