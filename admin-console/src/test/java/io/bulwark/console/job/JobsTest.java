package io.bulwark.console.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.console.http.ApiException;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class JobsTest {
    @Test
    void onlyItsPersonAndAdministratorsCancelAJob() {
        Jobs jobs = new Jobs(Clock.systemUTC());
        CountDownLatch end = new CountDownLatch(1);
        Job job = jobs.start("drain-node", "Drain node-3", "alice", _ -> {
            end.await();
            return "done";
        });
        Job other = jobs.start("drain-node", "Drain node-4", "alice", _ -> {
            end.await();
            return "done";
        });
        assertThatThrownBy(() -> jobs.cancel(job.id(), "bob", false))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("another person's");
        assertThat(job.isCancelled()).isFalse();
        jobs.cancel(job.id(), "alice", false);
        assertThat(job.isCancelled()).isTrue();
        jobs.cancel(other.id(), "root", true);
        assertThat(other.isCancelled()).isTrue();
        end.countDown();
    }
}
