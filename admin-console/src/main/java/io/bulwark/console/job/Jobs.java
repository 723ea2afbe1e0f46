package io.bulwark.console.job;

import io.bulwark.client.error.CancelledException;
import io.bulwark.console.http.ApiException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The jobs of this console since it started; of those that ended it keeps the last {@value #ENDED_MAX}. */
@Component
public class Jobs {
    /** More work at a time is refused. */
    static final int RUNNING_MAX = 32;

    static final int ENDED_MAX = 200;
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);

    private final Clock clock;
    private final NavigableMap<Long, Job> jobs = new TreeMap<>();
    private long last;

    /** Work that reports its progress. */
    @FunctionalInterface
    public interface Work {
        /** Does the work; returns the line that says what came of it. */
        String run(Job job) throws Exception;
    }

    @Autowired
    Jobs() {
        this(Clock.systemUTC());
    }

    Jobs(Clock clock) {
        this.clock = clock;
    }

    /**
     * Starts work on a thread of its own; returns at once.
     *
     * @param kind what it does, such as {@code drain-node}
     * @param title for people
     */
    public Job start(String kind, String title, String startedBy, Work work) {
        Job job = add(kind, title, startedBy);
        Thread.ofVirtual().name("job-" + job.id()).start(() -> run(job, work));
        return job;
    }

    /** Returns all jobs, the newest first. */
    public synchronized List<Job.View> list() {
        List<Job.View> views = new ArrayList<>();
        jobs.descendingMap().values().forEach(job -> views.add(job.view()));
        return views;
    }

    /**
     * Returns a job.
     *
     * @throws ApiException if there is none of this id
     */
    public synchronized Job find(long id) {
        Job job = jobs.get(id);
        if (job == null) {
            throw ApiException.notFound("there is no job " + id);
        }
        return job;
    }

    /**
     * Asks a job to end; it does so at its next step. Jobs are the console's own, so no replica judges this.
     *
     * @param by the name of the person who asks
     * @param administrator whether this person may end the jobs of others
     */
    void cancel(long id, String by, boolean administrator) {
        Job job = find(id);
        if (!administrator && !job.view().startedBy().equals(by)) {
            throw ApiException.forbidden("job " + id + " is another person's; an administrator cancels it");
        }
        if (!job.isRunning()) {
            throw ApiException.conflict("job " + id + " has ended");
        }
        job.cancel();
    }

    private synchronized Job add(String kind, String title, String startedBy) {
        long running = jobs.values().stream().filter(Job::isRunning).count();
        if (running >= RUNNING_MAX) {
            throw ApiException.conflict(running + " jobs are running; wait for one to end, or cancel one");
        }
        List<Long> ended = jobs.values().stream()
                .filter(job -> !job.isRunning())
                .map(Job::id)
                .toList();
        ended.stream().limit(Math.max(0, ended.size() - ENDED_MAX + 1)).forEach(jobs::remove);
        Job job = new Job(++last, kind, title, startedBy, clock);
        jobs.put(job.id(), job);
        return job;
    }

    private static void run(Job job, Work work) {
        try {
            job.end(Job.State.SUCCEEDED, work.run(job));
        } catch (CancelledException e) {
            job.end(Job.State.CANCELLED, String.valueOf(e.getMessage()));
        } catch (Exception e) {
            LOG.warn("job {} failed: {}", job.id(), e.toString());
            job.end(job.isCancelled() ? Job.State.CANCELLED : Job.State.FAILED, String.valueOf(e.getMessage()));
        }
    }
}
