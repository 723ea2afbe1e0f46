package io.bulwark.console.access;

import io.bulwark.client.Principals;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.protocol.id.PrincipalId;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * The principals that operators have revoked, asked for every ten seconds. Replicas refuse what is done for a revoked person at
 * once; the console knows it from here, and ends the person's sessions and tokens. What was known stays during an outage.
 */
@Component
@Lazy(false)
class RevokedPersons {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(RevokedPersons.class);

    private final Door door;
    private final Thread thread = Thread.ofVirtual().name("revoked-persons").unstarted(this::run);
    private volatile Set<PrincipalId> revoked = Set.of();

    RevokedPersons(Door door) {
        this.door = door;
    }

    /** Returns whether the person's principal is known to be revoked. */
    boolean contains(PrincipalId person) {
        return revoked.contains(person);
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void stop() {
        thread.interrupt();
    }

    void refresh() {
        try {
            revoked = door.watching().principals().list().stream()
                    .filter(Principals.Entry::revoked)
                    .map(Principals.Entry::principal)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (BulwarkException e) {
            LOG.debug("the revoked principals are not known now", e);
        }
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            refresh();
            try {
                Thread.sleep(PERIOD);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
