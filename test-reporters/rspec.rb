# Loaded into RSpec by SPEC_OPTS. Adds a formatter that writes a report to those that the project uses.
require_relative 'record'

class RobosmithFormatter
  NOTIFICATIONS = %i[example_passed example_failed example_pending message dump_summary close].freeze

  def initialize(write)
    @write = write
  end

  def example_passed(notification)
    test('passed', notification.example)
  end

  def example_pending(notification)
    test('skipped', notification.example)
  end

  def example_failed(notification)
    error = notification.example.execution_result.exception
    test('failed', notification.example,
         message: error.message, places: RobosmithReport.places(error.backtrace),
         testLine: notification.example.metadata[:line_number])
  end

  # Errors outside of examples arrive as messages.
  def message(notification)
    @messages = "#{@messages}#{notification.message}\n"[0, 20_000]
  end

  def dump_summary(summary)
    return if summary.errors_outside_of_examples_count.zero?

    file, line = @messages.to_s.match(/^\s*# (\.\S+?):(\d+)/)&.captures
    place = file.nil? ? {} : { file: File.expand_path(file), line: line.to_i }
    @write.call({ type: 'error', message: @messages.to_s, isOutput: true }.merge(place))
  end

  def close(_notification)
    @write.call(type: 'end')
  end

  private

  def test(status, example, details = {})
    groups = example.example_group.parent_groups.reverse.map(&:description)
    @write.call({ type: 'test', status: status, name: [*groups, example.description],
                  file: File.expand_path(example.metadata[:file_path]) }.merge(details))
  end
end

module RobosmithReporter
  def reporter
    super.tap do |reporter|
      next if @robosmith || reporter.nil?

      @robosmith = true
      formatter = RobosmithFormatter.new(RobosmithReport.open('rspec'))
      reporter.register_listener(formatter, *RobosmithFormatter::NOTIFICATIONS)
    end
  end
end

RSpec::Core::Configuration.prepend(RobosmithReporter)
