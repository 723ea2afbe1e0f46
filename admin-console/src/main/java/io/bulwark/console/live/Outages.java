package io.bulwark.console.live;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.http.Failures;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;

/** Problem details of a cluster that does not answer: since when, and from when the last known status is. */
@Component
public class Outages {
    private final ClusterWatch watch;

    public Outages(ClusterWatch watch) {
        this.watch = watch;
    }

    /** Returns the problem for a failed request; {@code since} and {@code lastKnownAt} are there if the cluster does not answer. */
    public ProblemDetail problem(BulwarkException failure) {
        HttpStatus status = Failures.statusOf(failure);
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, String.valueOf(failure.getMessage()));
        failure.volume().ifPresent(volume -> problem.setProperty("volume", volume));
        failure.node().ifPresent(server -> problem.setProperty("server", server));
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            watch.outage().ifPresent(outage -> problem.setProperty("since", outage.since()));
            watch.lastKnown().ifPresent(known -> problem.setProperty("lastKnownAt", known.at()));
        }
        return problem;
    }
}
