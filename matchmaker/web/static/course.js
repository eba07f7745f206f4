/* A match as its viewer was told it: the document of steps, unfolded into positions.
   A change is `[value]`, `[start, removed, inserted]`, or an object of changes by field or index. */

export const changed = (before, change) => {
  if (change === undefined || change === null) return before;
  if (Array.isArray(change)) {
    if (change.length === 1) return change[0];
    const [start, removed, inserted] = change;
    return [...before.slice(0, start), ...inserted, ...before.slice(start + removed)];
  }
  const now = Array.isArray(before) ? before.slice() : { ...before };
  for (const [key, each] of Object.entries(change)) now[key] = changed(before[key], each);
  return now;
};

export class Course {
  constructor(told) {
    this.viewer = told.viewer;
    this.end = null;
    this.events = [];
    this.texts = [];
    this.words = [];
    this.steps = [];
    this.positions = [];
    this.byKind = new Map();
    this.begin = told.begin;
    this.add(told);
  }

  /* Go on with a further part. */
  add(part) {
    this.events.push(...part.events);
    this.texts.push(...part.texts);
    this.words.push(...part.words);
    for (const step of part.steps) {
      const before = this.positions.length ? this.positions[this.positions.length - 1] : this.begin;
      this.positions.push(changed(before, step.change));
      this.steps.push(step);
      for (const number of step.events) {
        const [kind, fields] = this.events[number];
        if (!this.byKind.has(kind)) this.byKind.set(kind, []);
        this.byKind.get(kind).push({ n: this.last, fields });
      }
    }
    this.end = part.end;
  }

  get last() {
    return this.steps.length - 1;
  }

  /* What this viewer may know of the whole table. */
  view(n) {
    return this.positions[n].public;
  }

  /* What a seat sees, if this viewer may know it; else null. */
  viewOf(seat, n) {
    const position = this.positions[n];
    if (this.viewer === "all") return { ...position.public, ...position[seat] };
    return this.viewer === String(seat) ? position.public : null;
  }

  eventsAt(n) {
    return this.steps[n].events.map((number) => this.events[number]);
  }

  /* Fields of all events of a kind up to a step. */
  past(kind, n) {
    return (this.byKind.get(kind) ?? []).filter((each) => each.n <= n).map(({ fields }) => fields);
  }

  /* Answers that led to a step, as far as this viewer knows them. */
  answersAt(n) {
    if (n === 0) return [];
    const before = this.steps[n - 1].questions || [];
    const now = this.steps[n].questions || [];
    return before.filter(
      (each) => each.taken !== undefined
        && !now.some((other) => other.seat === each.seat && other.decision === each.decision),
    );
  }

  /* The last step at which no more public events had happened. */
  at(publicEvents) {
    let low = 0, high = this.last;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.steps[middle].public <= publicEvents) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
